CREATE TABLE audits (
    id bigint NOT NULL,
    "left" text NOT NULL,
    "right" text NOT NULL,
    probability double precision NOT NULL
);
CREATE TABLE cluster_ids (
    id integer NOT NULL,
    version integer NOT NULL,
    following bigint NOT NULL,
    ids bytea NOT NULL
);
CREATE SEQUENCE cluster_ids_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE cluster_ids_id_seq OWNED BY cluster_ids.id;
CREATE TABLE events (
    id bigint NOT NULL,
    "time" double precision NOT NULL,
    person text NOT NULL,
    kind text NOT NULL,
    data text NOT NULL,
    digest text NOT NULL
);
CREATE TABLE history (
    vote bigint NOT NULL,
    "time" double precision NOT NULL,
    questions bigint NOT NULL,
    votes bigint NOT NULL,
    clusters bigint NOT NULL,
    reliability double precision NOT NULL,
    assumed bigint NOT NULL,
    f1 double precision,
    f1_low double precision,
    f1_high double precision
);
CREATE TABLE invites (
    id bigint NOT NULL,
    digest text NOT NULL,
    worker text,
    note text NOT NULL,
    created double precision NOT NULL,
    revoked double precision,
    parent bigint,
    most integer,
    role text DEFAULT 'worker'::text NOT NULL
);
CREATE SEQUENCE invites_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE invites_id_seq OWNED BY invites.id;
CREATE TABLE known (
    "left" text NOT NULL,
    "right" text NOT NULL,
    label boolean NOT NULL
);
CREATE TABLE people (
    name text NOT NULL,
    role text NOT NULL,
    password text,
    since double precision NOT NULL,
    ended double precision
);
CREATE TABLE project (
    id integer NOT NULL,
    version integer NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    inputs integer NOT NULL,
    last_vote bigint NOT NULL,
    last_task bigint NOT NULL,
    answered bigint NOT NULL,
    settings text NOT NULL,
    digest text DEFAULT ''::text NOT NULL,
    files text,
    last_event bigint DEFAULT 0 NOT NULL,
    event_digest text DEFAULT ''::text NOT NULL
);
CREATE SEQUENCE project_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE project_id_seq OWNED BY project.id;
CREATE TABLE questions (
    id bigint NOT NULL,
    "left" text NOT NULL,
    "right" text NOT NULL,
    wanted integer NOT NULL,
    votes integer NOT NULL,
    room integer NOT NULL,
    rank bigint NOT NULL,
    touched boolean NOT NULL
);
CREATE SEQUENCE questions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE questions_id_seq OWNED BY questions.id;
CREATE TABLE requests (
    scope text NOT NULL,
    request text NOT NULL,
    first bigint NOT NULL,
    count bigint NOT NULL
);
CREATE TABLE sent (
    id bigint NOT NULL,
    crowd text NOT NULL,
    "left" text NOT NULL,
    "right" text NOT NULL,
    "time" double precision NOT NULL,
    outside text,
    state smallint NOT NULL,
    cost double precision NOT NULL,
    note text NOT NULL
);
CREATE SEQUENCE sent_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE sent_id_seq OWNED BY sent.id;
CREATE TABLE sessions (
    digest text NOT NULL,
    until double precision NOT NULL,
    person text DEFAULT 'owner'::text NOT NULL
);
CREATE TABLE studies (
    id bigint NOT NULL,
    crowd text NOT NULL,
    invite bigint NOT NULL,
    outside text,
    parameter text NOT NULL,
    finish text NOT NULL,
    pack integer NOT NULL,
    checks integer NOT NULL
);
CREATE SEQUENCE studies_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE studies_id_seq OWNED BY studies.id;
CREATE TABLE tasks (
    id bigint NOT NULL,
    question bigint NOT NULL,
    worker text NOT NULL,
    until double precision NOT NULL,
    swapped boolean NOT NULL,
    again boolean NOT NULL,
    state smallint NOT NULL,
    vote bigint
);
CREATE TABLE visits (
    study bigint NOT NULL,
    worker text NOT NULL,
    session text NOT NULL,
    began double precision NOT NULL,
    ended double precision,
    verdict text NOT NULL
);
CREATE TABLE votes (
    id bigint NOT NULL,
    "time" double precision NOT NULL,
    action text NOT NULL,
    worker text NOT NULL,
    "left" text,
    "right" text,
    label boolean,
    source text NOT NULL,
    task bigint,
    seconds double precision,
    shown text,
    probability double precision,
    digest text DEFAULT ''::text NOT NULL
);
CREATE TABLE workers (
    name text NOT NULL,
    since double precision NOT NULL,
    excluded boolean NOT NULL
);
ALTER TABLE ONLY cluster_ids ALTER COLUMN id SET DEFAULT nextval('cluster_ids_id_seq'::regclass);
ALTER TABLE ONLY invites ALTER COLUMN id SET DEFAULT nextval('invites_id_seq'::regclass);
ALTER TABLE ONLY project ALTER COLUMN id SET DEFAULT nextval('project_id_seq'::regclass);
ALTER TABLE ONLY questions ALTER COLUMN id SET DEFAULT nextval('questions_id_seq'::regclass);
ALTER TABLE ONLY sent ALTER COLUMN id SET DEFAULT nextval('sent_id_seq'::regclass);
ALTER TABLE ONLY studies ALTER COLUMN id SET DEFAULT nextval('studies_id_seq'::regclass);
INSERT INTO cluster_ids VALUES (1, 4, 5, '\x7801636480004628cd8446c3c461340001100009');
INSERT INTO events VALUES (1, 1794988342.2197733, 'owner', 'decide', '{"groups": [["p0"], ["p2"]], "kept": [], "note": ""}', '40b865668bac9e178aa26b74082e0dbe');
INSERT INTO events VALUES (2, 1795003160.855506, 'owner', 'undo', '{"edit": 1}', 'afced44cebe66bfc2eca542ccbdfedec');
INSERT INTO events VALUES (3, 1795003160.855506, 'owner', 'decide', '{"groups": [["p0"], ["p2"]], "kept": [], "note": ""}', '642cb1eb8aa9240318ded710054dcfa3');
INSERT INTO events VALUES (4, 1795003160.8615716, 'owner', 'decide', '{"groups": [["p4", "p5"]], "kept": [], "note": ""}', '8485c40f4c5bfb558c1abad624ead9d0');
INSERT INTO events VALUES (5, 1795003160.8642573, 'owner', 'decide', '{"groups": [["p1", "p3"]], "kept": [], "note": ""}', '4c05cb6f1d0c180cc856d07f7a913276');
INSERT INTO events VALUES (6, 1795003160.86678, 'owner', 'undo', '{"edit": 5}', '1b95f082429bc909373e2c2190071b43');
INSERT INTO events VALUES (7, 1795036920.751516, 'owner', 'person', '{"name": "Ann Lee", "role": "steward"}', '6c4905e95b5860a53794584ba19842fb');
INSERT INTO events VALUES (8, 1795036920.9985578, 'Ann Lee', 'join', '{"groups": [["p0", "p1", "p4", "p5"]], "kept": [], "note": "the same person"}', '8b3b633b62bb7873ebeeab0de13e60d9');
INSERT INTO events VALUES (9, 1795036921.2675192, 'Ann Lee', 'split', '{"groups": [["p2"], ["p3"]], "kept": [], "note": ""}', '0a0df50a2f6242f8192a9db37d5dacc3');
INSERT INTO events VALUES (10, 1795036921.3730085, 'Ann Lee', 'undo', '{"edit": 9}', 'd8607045332ef94dbfdd11d051ca29ee');
INSERT INTO events VALUES (11, 1795036921.5601487, 'Ann Lee', 'comment', '{"on": "cluster 1", "text": "looked at twice"}', 'e9b4f5ec103698a6b6f76824e5a5b6a9');
INSERT INTO events VALUES (12, 1795134204.066864, 'Ann Lee', 'lock', '{"groups": [["p0", "p1", "p4", "p5"], ["p2", "p3"]], "kept": [["p0", "p2", false], ["p0", "p3", false], ["p2", "p0", false], ["p2", "p1", false]], "note": ""}', '738c9a7b1bdb5d854b806aff7560f3fd');
INSERT INTO history VALUES (11, 1794988342.5419443, 5, 8, 3, -0.11439606168000685, 0, 0.9177356159035425, 0, 1);
INSERT INTO history VALUES (15, 1795134204.0350468, 4, 12, 2, -0.016686849908579965, 0, 1, 0.6666666666666666, 1);
INSERT INTO invites VALUES (1, 'digest of ann', 'ann', '', 1794988342.255193, NULL, NULL, NULL, 'worker');
INSERT INTO invites VALUES (2, 'digest of many', NULL, 'for the panel', 1794988342.2593503, NULL, NULL, 100, 'worker');
INSERT INTO people VALUES ('Ann Lee', 'steward', 'scrypt$b310defcc5c0aadd1f184f7dc438c9ef$8a44556e8b0570e062d403841058a14333430b6e50cfc4d13b4a5e863048673e045a32e06777a86eca15f711792a42fc5c36cc70354fb1dc0b80082d7eeb14f8', 1795036920.751516, NULL);
INSERT INTO project VALUES (1, 7, '4b0b2ed8b3474fa0a4addd3d46a15cfb', 'people', 1, 15, 7, 5, '{"votes": 2, "lease_seconds": 600, "batch": 200, "paused": false, "budget": null, "price": 0.05, "currency": "EUR", "instructions": "Same person", "image_fields": [], "audit": 0.0}', 'e6d79554c6e77c9948524a69ec1f817d', 'd65af3ccd091c8ce374b3c5b3dff2130', 12, '738c9a7b1bdb5d854b806aff7560f3fd');
INSERT INTO questions VALUES (1, 'p2', 'p3', 2, 2, 0, 1, true);
INSERT INTO questions VALUES (2, 'p0', 'p1', 2, 2, 0, 2, true);
INSERT INTO questions VALUES (3, 'p4', 'p5', 2, 2, -1, 3, true);
INSERT INTO questions VALUES (4, 'p1', 'p3', 2, 2, 0, 4, true);
INSERT INTO questions VALUES (5, 'p0', 'p2', 1, 1, 0, 5, true);
INSERT INTO requests VALUES ('ann', 'ann 1', 1, 1);
INSERT INTO requests VALUES ('ann', 'ann 2', 2, 1);
INSERT INTO requests VALUES ('ann', 'ann 3', 3, 1);
INSERT INTO requests VALUES ('bob', 'bob 4', 4, 1);
INSERT INTO requests VALUES ('bob', 'bob 5', 5, 1);
INSERT INTO requests VALUES ('cleo', 'cleo 6', 6, 1);
INSERT INTO requests VALUES ('', 'file 1', 10, 2);
INSERT INTO tasks VALUES (1, 1, 'ann', 1794988942.0558133, true, false, 1, 1);
INSERT INTO tasks VALUES (2, 2, 'ann', 1794988942.0690036, false, false, 1, 2);
INSERT INTO tasks VALUES (4, 1, 'bob', 1794988942.1075642, true, false, 1, 4);
INSERT INTO tasks VALUES (5, 2, 'bob', 1794988942.1248696, false, false, 1, 5);
INSERT INTO tasks VALUES (6, 3, 'cleo', 1794988942.1362202, true, false, 1, 6);
INSERT INTO tasks VALUES (3, 3, 'ann', 1794988942.073463, false, false, 3, 3);
INSERT INTO tasks VALUES (7, 3, 'ann', 1794988942.1667206, false, true, 0, NULL);
INSERT INTO votes VALUES (1, 1794988342.06155, 'vote', 'ann', 'p2', 'p3', true, 'page', 1, 1.5, '{"swapped": true}', NULL, 'bbc3ecbc8f536da92af9ea64deebe086');
INSERT INTO votes VALUES (2, 1794988342.0712843, 'vote', 'ann', 'p0', 'p1', false, 'page', 2, 1.5, '{"swapped": false}', NULL, 'dd078664503adb725d39b37cdf56c4ed');
INSERT INTO votes VALUES (3, 1794988342.09927, 'vote', 'ann', 'p4', 'p5', NULL, 'page', 3, 1.5, '{"swapped": false}', NULL, 'd77d3f984faf9561dc394d831714b809');
INSERT INTO votes VALUES (4, 1794988342.1128395, 'vote', 'bob', 'p2', 'p3', true, 'page', 4, 1.5, '{"swapped": true}', NULL, 'f19bd7fa341f7fc593adaa8b2c18133e');
INSERT INTO votes VALUES (5, 1794988342.1271484, 'vote', 'bob', 'p0', 'p1', true, 'page', 5, 1.5, '{"swapped": false}', NULL, 'e69c1a5ed1267f1558da8c8f6a0a12da');
INSERT INTO votes VALUES (6, 1794988342.1618645, 'vote', 'cleo', 'p4', 'p5', false, 'page', 6, 1.5, '{"swapped": true}', NULL, '1035a3c93d6d057061b1b2598600a680');
INSERT INTO votes VALUES (7, 1794988342.1667206, 'undo', 'ann', 'p4', 'p5', NULL, 'page', 3, NULL, NULL, NULL, 'ff64959a0eb50c3982ee6f4d18374b92');
INSERT INTO votes VALUES (8, 1794988342.199946, 'exclude', 'cleo', NULL, NULL, NULL, 'owner', NULL, NULL, NULL, NULL, '410c093cd7945897c44fed0d196bd3b7');
INSERT INTO votes VALUES (9, 1794988342.2197733, 'vote', 'owner', 'p0', 'p2', false, 'owner', NULL, NULL, NULL, NULL, 'ab96c9be672e4f99b5885c0d9b1f800c');
INSERT INTO votes VALUES (10, 1794988342.2389116, 'vote', 'model', 'p1', 'p3', false, 'file', NULL, NULL, NULL, NULL, '149f458dca129eae38f48de5377af2cf');
INSERT INTO votes VALUES (11, 1794988342.2389116, 'vote', 'model', 'p4', 'p5', true, 'file', NULL, NULL, NULL, 0.75, 'ed6c7708e50dc73c92733c308fb32f3f');
INSERT INTO votes VALUES (12, 1795003160.855506, 'vote', 'owner', 'p0', 'p2', false, 'owner', NULL, NULL, NULL, NULL, '8541ae859a031fd6f9042f0da30d9d23');
INSERT INTO votes VALUES (13, 1795003160.8615716, 'vote', 'owner', 'p4', 'p5', true, 'owner', NULL, NULL, NULL, NULL, 'a7792388d8ae9a97d34976294f132c4e');
INSERT INTO votes VALUES (14, 1795003160.8642573, 'vote', 'owner', 'p1', 'p3', true, 'owner', NULL, NULL, NULL, NULL, '16482fec73945d96462819206f365b10');
INSERT INTO votes VALUES (15, 1795003160.86678, 'vote', 'owner', 'p1', 'p3', NULL, 'owner', NULL, NULL, NULL, NULL, 'e6d79554c6e77c9948524a69ec1f817d');
INSERT INTO workers VALUES ('ann', 1794988342.0558133, false);
INSERT INTO workers VALUES ('bob', 1794988342.1075642, false);
INSERT INTO workers VALUES ('cleo', 1794988342.1362202, true);
INSERT INTO workers VALUES ('owner', 1794988342.2197733, false);
INSERT INTO workers VALUES ('model', 1794988342.2389116, false);
SELECT pg_catalog.setval('cluster_ids_id_seq', 1, false);
SELECT pg_catalog.setval('invites_id_seq', 2, true);
SELECT pg_catalog.setval('project_id_seq', 1, false);
SELECT pg_catalog.setval('questions_id_seq', 5, true);
SELECT pg_catalog.setval('sent_id_seq', 1, false);
SELECT pg_catalog.setval('studies_id_seq', 1, false);
ALTER TABLE ONLY audits
    ADD CONSTRAINT audits_pkey PRIMARY KEY (id);
ALTER TABLE ONLY cluster_ids
    ADD CONSTRAINT cluster_ids_pkey PRIMARY KEY (id);
ALTER TABLE ONLY events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY history
    ADD CONSTRAINT history_pkey PRIMARY KEY (vote);
ALTER TABLE ONLY invites
    ADD CONSTRAINT invites_digest_key UNIQUE (digest);
ALTER TABLE ONLY invites
    ADD CONSTRAINT invites_pkey PRIMARY KEY (id);
ALTER TABLE ONLY known
    ADD CONSTRAINT known_pkey PRIMARY KEY ("left", "right");
ALTER TABLE ONLY people
    ADD CONSTRAINT people_pkey PRIMARY KEY (name);
ALTER TABLE ONLY project
    ADD CONSTRAINT project_pkey PRIMARY KEY (id);
ALTER TABLE ONLY questions
    ADD CONSTRAINT questions_left_right_key UNIQUE ("left", "right");
ALTER TABLE ONLY questions
    ADD CONSTRAINT questions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (scope, request);
ALTER TABLE ONLY sent
    ADD CONSTRAINT sent_crowd_left_right_key UNIQUE (crowd, "left", "right");
ALTER TABLE ONLY sent
    ADD CONSTRAINT sent_pkey PRIMARY KEY (id);
ALTER TABLE ONLY sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY studies
    ADD CONSTRAINT studies_crowd_key UNIQUE (crowd);
ALTER TABLE ONLY studies
    ADD CONSTRAINT studies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY visits
    ADD CONSTRAINT visits_pkey PRIMARY KEY (study, worker);
ALTER TABLE ONLY votes
    ADD CONSTRAINT votes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (name);
CREATE INDEX questions_next ON questions USING btree (rank) WHERE (room > 0);
CREATE INDEX sent_outside ON sent USING btree (crowd, outside);
CREATE INDEX sent_state ON sent USING btree (crowd, state);
CREATE INDEX tasks_of_worker ON tasks USING btree (worker, state, vote);
CREATE INDEX tasks_seen ON tasks USING btree (question, worker);
CREATE INDEX tasks_until ON tasks USING btree (until) WHERE (state = 0);
CREATE INDEX votes_of_worker ON votes USING btree (worker);
CREATE INDEX votes_on_pair ON votes USING btree ("left", "right", worker);
CREATE INDEX votes_on_right ON votes USING btree ("right");
ALTER TABLE ONLY studies
    ADD CONSTRAINT studies_invite_fkey FOREIGN KEY (invite) REFERENCES invites(id);
ALTER TABLE ONLY tasks
    ADD CONSTRAINT tasks_question_fkey FOREIGN KEY (question) REFERENCES questions(id);
ALTER TABLE ONLY visits
    ADD CONSTRAINT visits_study_fkey FOREIGN KEY (study) REFERENCES studies(id);
ALTER TABLE ONLY votes
    ADD CONSTRAINT votes_task_fkey FOREIGN KEY (task) REFERENCES tasks(id);
