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
    assumed bigint NOT NULL
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
INSERT INTO cluster_ids VALUES (1, 1, 4, '\x7801636480004628cd84463343f9301a000140000d');
INSERT INTO history VALUES (10, 1794988168.8820212, 5, 10, 3, -0.09682712022021146, 0);
INSERT INTO invites VALUES (1, 'digest of ann', 'ann', '', 1794988168.8518276, NULL);
INSERT INTO invites VALUES (2, 'digest of many', NULL, 'for the panel', 1794988168.8528714, NULL);
INSERT INTO project VALUES (1, 1, '4d11ff9809a649fca1c5d4c32d131c46', 'people', 1, 10, 7, 5, '{"votes": 2, "lease_seconds": 600, "batch": 200, "blind": true, "paused": false, "budget": null, "price": 0.05, "currency": "EUR", "instructions": "Same person", "image_fields": []}');
INSERT INTO questions VALUES (1, 'p2', 'p3', 2, 2, 0, 1, true);
INSERT INTO questions VALUES (2, 'p0', 'p1', 2, 2, 0, 2, true);
INSERT INTO questions VALUES (3, 'p4', 'p5', 2, 0, 1, 3, true);
INSERT INTO questions VALUES (4, 'p0', 'p2', 2, 1, 1, 4, true);
INSERT INTO questions VALUES (5, 'p1', 'p3', 2, 1, 1, 5, true);
INSERT INTO requests VALUES ('ann', 'ann 1', 1, 1);
INSERT INTO requests VALUES ('ann', 'ann 2', 2, 1);
INSERT INTO requests VALUES ('ann', 'ann 3', 3, 1);
INSERT INTO requests VALUES ('bob', 'bob 4', 4, 1);
INSERT INTO requests VALUES ('bob', 'bob 5', 5, 1);
INSERT INTO requests VALUES ('cleo', 'cleo 6', 6, 1);
INSERT INTO requests VALUES ('', 'file 1', 10, 1);
INSERT INTO tasks VALUES (1, 1, 'ann', 1794988768.8070142, true, false, 1, 1);
INSERT INTO tasks VALUES (2, 2, 'ann', 1794988768.81728, false, false, 1, 2);
INSERT INTO tasks VALUES (4, 1, 'bob', 1794988768.8260057, false, false, 1, 4);
INSERT INTO tasks VALUES (5, 2, 'bob', 1794988768.8301604, false, false, 1, 5);
INSERT INTO tasks VALUES (6, 3, 'cleo', 1794988768.834204, false, false, 1, 6);
INSERT INTO tasks VALUES (3, 3, 'ann', 1794988768.8216577, false, false, 3, 3);
INSERT INTO tasks VALUES (7, 3, 'ann', 1794988768.8384898, false, true, 0, NULL);
INSERT INTO votes VALUES (1, 1794988168.812755, 'vote', 'ann', 'p2', 'p3', true, 'page', 1, 1.5, '{"swapped": true}');
INSERT INTO votes VALUES (2, 1794988168.8195333, 'vote', 'ann', 'p0', 'p1', false, 'page', 2, 1.5, '{"swapped": false}');
INSERT INTO votes VALUES (3, 1794988168.823884, 'vote', 'ann', 'p4', 'p5', NULL, 'page', 3, 1.5, '{"swapped": false}');
INSERT INTO votes VALUES (4, 1794988168.8281834, 'vote', 'bob', 'p2', 'p3', true, 'page', 4, 1.5, '{"swapped": false}');
INSERT INTO votes VALUES (5, 1794988168.8322365, 'vote', 'bob', 'p0', 'p1', true, 'page', 5, 1.5, '{"swapped": false}');
INSERT INTO votes VALUES (6, 1794988168.8364947, 'vote', 'cleo', 'p4', 'p5', false, 'page', 6, 1.5, '{"swapped": false}');
INSERT INTO votes VALUES (7, 1794988168.8384898, 'undo', 'ann', 'p4', 'p5', NULL, 'page', 3, NULL, NULL);
INSERT INTO votes VALUES (8, 1794988168.8421974, 'exclude', 'cleo', NULL, NULL, NULL, 'owner', NULL, NULL, NULL);
INSERT INTO votes VALUES (9, 1794988168.8459394, 'vote', 'owner', 'p0', 'p2', false, 'owner', NULL, NULL, NULL);
INSERT INTO votes VALUES (10, 1794988168.8492749, 'vote', 'model', 'p1', 'p3', false, 'file', NULL, NULL, NULL);
INSERT INTO workers VALUES ('ann', 1794988168.8070142, false);
INSERT INTO workers VALUES ('bob', 1794988168.8260057, false);
INSERT INTO workers VALUES ('cleo', 1794988168.834204, true);
INSERT INTO workers VALUES ('owner', 1794988168.8459394, false);
INSERT INTO workers VALUES ('model', 1794988168.8492749, false);
SELECT pg_catalog.setval('cluster_ids_id_seq', 1, false);
SELECT pg_catalog.setval('invites_id_seq', 2, true);
SELECT pg_catalog.setval('project_id_seq', 1, false);
SELECT pg_catalog.setval('questions_id_seq', 5, true);
ALTER TABLE ONLY cluster_ids
    ADD CONSTRAINT cluster_ids_pkey PRIMARY KEY (id);
ALTER TABLE ONLY history
    ADD CONSTRAINT history_pkey PRIMARY KEY (vote);
ALTER TABLE ONLY invites
    ADD CONSTRAINT invites_digest_key UNIQUE (digest);
ALTER TABLE ONLY invites
    ADD CONSTRAINT invites_pkey PRIMARY KEY (id);
ALTER TABLE ONLY project
    ADD CONSTRAINT project_pkey PRIMARY KEY (id);
ALTER TABLE ONLY questions
    ADD CONSTRAINT questions_left_right_key UNIQUE ("left", "right");
ALTER TABLE ONLY questions
    ADD CONSTRAINT questions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (scope, request);
ALTER TABLE ONLY tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY votes
    ADD CONSTRAINT votes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (name);
CREATE INDEX questions_next ON questions USING btree (rank) WHERE (room > 0);
CREATE INDEX tasks_of_worker ON tasks USING btree (worker, state, vote);
CREATE INDEX tasks_seen ON tasks USING btree (question, worker);
CREATE INDEX tasks_until ON tasks USING btree (until) WHERE (state = 0);
CREATE INDEX votes_of_worker ON votes USING btree (worker);
CREATE INDEX votes_on_pair ON votes USING btree ("left", "right", worker);
ALTER TABLE ONLY tasks
    ADD CONSTRAINT tasks_question_fkey FOREIGN KEY (question) REFERENCES questions(id);
ALTER TABLE ONLY votes
    ADD CONSTRAINT votes_task_fkey FOREIGN KEY (task) REFERENCES tasks(id);
