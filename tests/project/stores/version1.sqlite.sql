BEGIN TRANSACTION;
CREATE TABLE cluster_ids (
	id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	following BIGINT NOT NULL, 
	ids BLOB NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "cluster_ids" VALUES(1,1,4,X'7801636480004628CD84463343F9301A000140000D');
CREATE TABLE history (
	vote BIGINT NOT NULL, 
	time DOUBLE NOT NULL, 
	questions BIGINT NOT NULL, 
	votes BIGINT NOT NULL, 
	clusters BIGINT NOT NULL, 
	reliability DOUBLE NOT NULL, 
	assumed BIGINT NOT NULL, 
	PRIMARY KEY (vote)
);
INSERT INTO "history" VALUES(10,1.79498816729809093474e+09,5,10,3,-9.68271202202114628088e-02,0);
CREATE TABLE invites (
	id INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	worker TEXT, 
	note TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	revoked DOUBLE, 
	PRIMARY KEY (id), 
	UNIQUE (digest)
);
INSERT INTO "invites" VALUES(1,'digest of ann','ann','',1.79498816629521608357e+09,NULL);
INSERT INTO "invites" VALUES(2,'digest of many',NULL,'for the panel',1.79498816629920721057e+09,NULL);
CREATE TABLE project (
	id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	name TEXT NOT NULL, 
	inputs INTEGER NOT NULL, 
	last_vote BIGINT NOT NULL, 
	last_task BIGINT NOT NULL, 
	answered BIGINT NOT NULL, 
	settings TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "project" VALUES(1,1,'1a15fe4ba67c41b3a7027f3eec246e21','people',1,10,7,5,'{"votes": 2, "lease_seconds": 600, "batch": 200, "blind": true, "paused": false, "budget": null, "price": 0.05, "currency": "EUR", "instructions": "Same person", "image_fields": []}');
CREATE TABLE questions (
	id INTEGER NOT NULL, 
	"left" TEXT NOT NULL, 
	"right" TEXT NOT NULL, 
	wanted INTEGER NOT NULL, 
	votes INTEGER NOT NULL, 
	room INTEGER NOT NULL, 
	rank BIGINT NOT NULL, 
	touched BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE ("left", "right")
);
INSERT INTO "questions" VALUES(1,'p2','p3',2,2,0,1,1);
INSERT INTO "questions" VALUES(2,'p0','p1',2,2,0,2,1);
INSERT INTO "questions" VALUES(3,'p4','p5',2,0,1,3,1);
INSERT INTO "questions" VALUES(4,'p0','p2',2,1,1,4,1);
INSERT INTO "questions" VALUES(5,'p1','p3',2,1,1,5,1);
CREATE TABLE requests (
	scope TEXT NOT NULL, 
	request TEXT NOT NULL, 
	first BIGINT NOT NULL, 
	count BIGINT NOT NULL, 
	PRIMARY KEY (scope, request)
);
INSERT INTO "requests" VALUES('ann','ann 1',1,1);
INSERT INTO "requests" VALUES('ann','ann 2',2,1);
INSERT INTO "requests" VALUES('ann','ann 3',3,1);
INSERT INTO "requests" VALUES('bob','bob 4',4,1);
INSERT INTO "requests" VALUES('bob','bob 5',5,1);
INSERT INTO "requests" VALUES('cleo','cleo 6',6,1);
INSERT INTO "requests" VALUES('','file 1',10,1);
CREATE TABLE tasks (
	id BIGINT NOT NULL, 
	question INTEGER NOT NULL, 
	worker TEXT NOT NULL, 
	until DOUBLE NOT NULL, 
	swapped BOOLEAN NOT NULL, 
	again BOOLEAN NOT NULL, 
	state SMALLINT NOT NULL, 
	vote BIGINT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(question) REFERENCES questions (id)
);
INSERT INTO "tasks" VALUES(1,1,'ann',1794988766.15992,1,0,1,1);
INSERT INTO "tasks" VALUES(2,2,'ann',1.79498876618788766866e+09,1,0,1,2);
INSERT INTO "tasks" VALUES(3,3,'ann',1.79498876619572114948e+09,0,0,3,3);
INSERT INTO "tasks" VALUES(4,1,'bob',1.79498876620367431638e+09,0,0,1,4);
INSERT INTO "tasks" VALUES(5,2,'bob',1.79498876621555948258e+09,0,0,1,5);
INSERT INTO "tasks" VALUES(6,3,'cleo',1.79498876623554539681e+09,1,0,1,6);
INSERT INTO "tasks" VALUES(7,3,'ann',1.79498876625553107268e+09,1,1,0,NULL);
CREATE TABLE votes (
	id BIGINT NOT NULL, 
	time DOUBLE NOT NULL, 
	action TEXT NOT NULL, 
	worker TEXT NOT NULL, 
	"left" TEXT, 
	"right" TEXT, 
	label BOOLEAN, 
	source TEXT NOT NULL, 
	task BIGINT, 
	seconds DOUBLE, 
	shown TEXT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(task) REFERENCES tasks (id)
);
INSERT INTO "votes" VALUES(1,1.79498816617527818684e+09,'vote','ann','p2','p3',1,'page',1,1.5,'{"swapped": true}');
INSERT INTO "votes" VALUES(2,1.7949881661912517548e+09,'vote','ann','p0','p1',0,'page',2,1.5,'{"swapped": true}');
INSERT INTO "votes" VALUES(3,1.79498816619925355905e+09,'vote','ann','p4','p5',NULL,'page',3,1.5,'{"swapped": false}');
INSERT INTO "votes" VALUES(4,1.79498816621217250821e+09,'vote','bob','p2','p3',1,'page',4,1.5,'{"swapped": false}');
INSERT INTO "votes" VALUES(5,1.79498816622733354565e+09,'vote','bob','p0','p1',1,'page',5,1.5,'{"swapped": false}');
INSERT INTO "votes" VALUES(6,1.79498816624727845197e+09,'vote','cleo','p4','p5',0,'page',6,1.5,'{"swapped": true}');
INSERT INTO "votes" VALUES(7,1.79498816625553107265e+09,'undo','ann','p4','p5',NULL,'page',3,NULL,NULL);
INSERT INTO "votes" VALUES(8,1.79498816627036833762e+09,'exclude','cleo',NULL,NULL,NULL,'owner',NULL,NULL,NULL);
INSERT INTO "votes" VALUES(9,1.79498816628336763383e+09,'vote','owner','p0','p2',0,'owner',NULL,NULL,NULL);
INSERT INTO "votes" VALUES(10,1.79498816628717565531e+09,'vote','model','p1','p3',0,'file',NULL,NULL,NULL);
CREATE TABLE workers (
	name TEXT NOT NULL, 
	since DOUBLE NOT NULL, 
	excluded BOOLEAN NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "workers" VALUES('ann',1794988166.15992,0);
INSERT INTO "workers" VALUES('bob',1.79498816620367431648e+09,0);
INSERT INTO "workers" VALUES('cleo',1.79498816623554539677e+09,1);
INSERT INTO "workers" VALUES('owner',1.79498816628336763383e+09,0);
INSERT INTO "workers" VALUES('model',1.79498816628717565531e+09,0);
CREATE INDEX questions_next ON questions (rank) WHERE room > 0;
CREATE INDEX tasks_of_worker ON tasks (worker, state, vote);
CREATE INDEX tasks_seen ON tasks (question, worker);
CREATE INDEX tasks_until ON tasks (until) WHERE state = 0;
CREATE INDEX votes_of_worker ON votes (worker);
CREATE INDEX votes_on_pair ON votes ("left", "right", worker);
COMMIT;
