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
    revoked double precision
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
CREATE TABLE project (
    id integer NOT NULL,
    version integer NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    inputs integer NOT NULL,
    last_vote bigint NOT NULL,
    last_task bigint NOT NULL,
    answered bigint NOT NULL,
    settings text NOT NULL
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
    shown text
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
INSERT INTO cluster_ids VALUES (1, 1, 4, '\x7801636480004628cd84463343f9301a000140000d');
INSERT INTO history VALUES (10, 1794988245.3732932, 5, 7, 3, -0.09662681375635766, 0, 0.9251547429368209, 0.5, 1);
INSERT INTO invites VALUES (1, 'digest of ann', 'ann', '', 1794988245.325228, NULL);
INSERT INTO invites VALUES (2, 'digest of many', NULL, 'for the panel', 1794988245.3267243, NULL);
INSERT INTO project VALUES (1, 3, '667bf7d5485e4d27b5b789b7fbf6aa74', 'people', 1, 10, 7, 5, '{"votes": 2, "lease_seconds": 600, "batch": 200, "paused": false, "budget": null, "price": 0.05, "currency": "EUR", "instructions": "Same person", "image_fields": [], "audit": 0.0}');
INSERT INTO questions VALUES (1, 'p2', 'p3', 2, 2, 0, 1, true);
INSERT INTO questions VALUES (2, 'p0', 'p1', 2, 2, 0, 2, true);
INSERT INTO questions VALUES (3, 'p4', 'p5', 2, 0, 1, 3, true);
INSERT INTO questions VALUES (5, 'p0', 'p2', 2, 1, 1, 5, true);
INSERT INTO questions VALUES (4, 'p1', 'p3', 2, 1, 1, 4, true);
INSERT INTO requests VALUES ('ann', 'ann 1', 1, 1);
INSERT INTO requests VALUES ('ann', 'ann 2', 2, 1);
INSERT INTO requests VALUES ('ann', 'ann 3', 3, 1);
INSERT INTO requests VALUES ('bob', 'bob 4', 4, 1);
INSERT INTO requests VALUES ('bob', 'bob 5', 5, 1);
INSERT INTO requests VALUES ('cleo', 'cleo 6', 6, 1);
INSERT INTO requests VALUES ('', 'file 1', 10, 1);
INSERT INTO tasks VALUES (1, 1, 'ann', 1794988845.1897535, true, false, 1, 1);
INSERT INTO tasks VALUES (2, 2, 'ann', 1794988845.2198844, false, false, 1, 2);
INSERT INTO tasks VALUES (4, 1, 'bob', 1794988845.2471898, true, false, 1, 4);
INSERT INTO tasks VALUES (5, 2, 'bob', 1794988845.2578092, true, false, 1, 5);
INSERT INTO tasks VALUES (6, 3, 'cleo', 1794988845.2707052, true, false, 1, 6);
INSERT INTO tasks VALUES (3, 3, 'ann', 1794988845.2321255, false, false, 3, 3);
INSERT INTO tasks VALUES (7, 3, 'ann', 1794988845.2878592, false, true, 0, NULL);
INSERT INTO votes VALUES (1, 1794988245.2060921, 'vote', 'ann', 'p2', 'p3', true, 'page', 1, 1.5, '{"swapped": true}');
INSERT INTO votes VALUES (2, 1794988245.2273026, 'vote', 'ann', 'p0', 'p1', false, 'page', 2, 1.5, '{"swapped": false}');
INSERT INTO votes VALUES (3, 1794988245.2395856, 'vote', 'ann', 'p4', 'p5', NULL, 'page', 3, 1.5, '{"swapped": false}');
INSERT INTO votes VALUES (4, 1794988245.2513433, 'vote', 'bob', 'p2', 'p3', true, 'page', 4, 1.5, '{"swapped": true}');
INSERT INTO votes VALUES (5, 1794988245.2679086, 'vote', 'bob', 'p0', 'p1', true, 'page', 5, 1.5, '{"swapped": true}');
INSERT INTO votes VALUES (6, 1794988245.2810018, 'vote', 'cleo', 'p4', 'p5', false, 'page', 6, 1.5, '{"swapped": true}');
INSERT INTO votes VALUES (7, 1794988245.2878592, 'undo', 'ann', 'p4', 'p5', NULL, 'page', 3, NULL, NULL);
INSERT INTO votes VALUES (8, 1794988245.3037586, 'exclude', 'cleo', NULL, NULL, NULL, 'owner', NULL, NULL, NULL);
INSERT INTO votes VALUES (9, 1794988245.3120484, 'vote', 'owner', 'p0', 'p2', false, 'owner', NULL, NULL, NULL);
INSERT INTO votes VALUES (10, 1794988245.319567, 'vote', 'model', 'p1', 'p3', false, 'file', NULL, NULL, NULL);
INSERT INTO workers VALUES ('ann', 1794988245.1897535, false);
INSERT INTO workers VALUES ('bob', 1794988245.2471898, false);
INSERT INTO workers VALUES ('cleo', 1794988245.2707052, true);
INSERT INTO workers VALUES ('owner', 1794988245.3120484, false);
INSERT INTO workers VALUES ('model', 1794988245.319567, false);
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
ALTER TABLE ONLY history
    ADD CONSTRAINT history_pkey PRIMARY KEY (vote);
ALTER TABLE ONLY invites
    ADD CONSTRAINT invites_digest_key UNIQUE (digest);
ALTER TABLE ONLY invites
    ADD CONSTRAINT invites_pkey PRIMARY KEY (id);
ALTER TABLE ONLY known
    ADD CONSTRAINT known_pkey PRIMARY KEY ("left", "right");
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
ALTER TABLE ONLY studies
    ADD CONSTRAINT studies_invite_fkey FOREIGN KEY (invite) REFERENCES invites(id);
ALTER TABLE ONLY tasks
    ADD CONSTRAINT tasks_question_fkey FOREIGN KEY (question) REFERENCES questions(id);
ALTER TABLE ONLY visits
    ADD CONSTRAINT visits_study_fkey FOREIGN KEY (study) REFERENCES studies(id);
ALTER TABLE ONLY votes
    ADD CONSTRAINT votes_task_fkey FOREIGN KEY (task) REFERENCES tasks(id);
