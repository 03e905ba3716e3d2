BEGIN TRANSACTION;
CREATE TABLE audits (
	id BIGINT NOT NULL, 
	"left" TEXT NOT NULL, 
	"right" TEXT NOT NULL, 
	probability DOUBLE NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE cluster_ids (
	id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	following BIGINT NOT NULL, 
	ids BLOB NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "cluster_ids" VALUES(1,4,5,X'7801636480004628CD8446C3C461340001100009');
CREATE TABLE events (
	id BIGINT NOT NULL, 
	time DOUBLE NOT NULL, 
	person TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	data TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,1.79498829706360220909e+09,'owner','decide','{"groups": [["p0"], ["p2"]], "kept": [], "note": ""}','0d97889028f762a3d2fc4e7e24ab2dca');
INSERT INTO "events" VALUES(2,1.7950031599209289551e+09,'owner','undo','{"edit": 1}','1995f341e1e2edef6f2c41b04b3dd7f3');
INSERT INTO "events" VALUES(3,1.7950031599209289551e+09,'owner','decide','{"groups": [["p0"], ["p2"]], "kept": [], "note": ""}','d4511ee295dc44b61841e54cd3df7c47');
INSERT INTO "events" VALUES(4,1.79500315992474198346e+09,'owner','decide','{"groups": [["p4", "p5"]], "kept": [], "note": ""}','638aae9382dfba806f5140fa8ba92f17');
INSERT INTO "events" VALUES(5,1.79500315992609620098e+09,'owner','decide','{"groups": [["p1", "p3"]], "kept": [], "note": ""}','2328861867e38d73c0a264b5c6abef82');
INSERT INTO "events" VALUES(6,1.79500315992741537088e+09,'owner','undo','{"edit": 5}','49ff4c38b6b971fff758be1291ee64a1');
INSERT INTO "events" VALUES(7,1.79503691765313506123e+09,'owner','person','{"name": "Ann Lee", "role": "steward"}','fdab5b2b06ff0f7e3f6a4102bb004335');
INSERT INTO "events" VALUES(8,1.79503691770282888416e+09,'Ann Lee','join','{"groups": [["p0", "p1", "p4", "p5"]], "kept": [], "note": "the same person"}','3a52743defb4352c6723ba73085283e0');
INSERT INTO "events" VALUES(9,1.79503691794439029696e+09,'Ann Lee','split','{"groups": [["p2"], ["p3"]], "kept": [], "note": ""}','dc51082d4b5dfecf096c62e41deb6171');
INSERT INTO "events" VALUES(10,1.79503691796361660956e+09,'Ann Lee','undo','{"edit": 9}','23e7d81bacf2a70870e475c5ff9ff0c8');
INSERT INTO "events" VALUES(11,1.79503691799765968326e+09,'Ann Lee','comment','{"on": "cluster 1", "text": "looked at twice"}','f841af63ea56f131529e7781fdb86aa6');
INSERT INTO "events" VALUES(12,1.79513420304468941691e+09,'Ann Lee','lock','{"groups": [["p0", "p1", "p4", "p5"], ["p2", "p3"]], "kept": [["p0", "p2", false], ["p0", "p3", false], ["p2", "p0", false], ["p2", "p1", false]], "note": ""}','a253ec25cb54d0957fac4f68a859edfe');
CREATE TABLE history (vote BIGINT NOT NULL PRIMARY KEY, time DOUBLE PRECISION NOT NULL, questions BIGINT NOT NULL, votes BIGINT NOT NULL, clusters BIGINT NOT NULL, reliability DOUBLE PRECISION NOT NULL, assumed BIGINT NOT NULL, f1 DOUBLE PRECISION, f1_low DOUBLE PRECISION, f1_high DOUBLE PRECISION);
INSERT INTO "history" VALUES(11,1794988335.24881,5,8,3,-1.14396061680006849714e-01,0,9.17735615903542467641e-01,0.0,1.0);
INSERT INTO "history" VALUES(15,1.79513419468848633769e+09,4,12,2,-1.66868499085799648629e-02,0,1.0,6.66666666666666629659e-01,1.0);
CREATE TABLE invites (
	id INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	worker TEXT, 
	note TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	revoked DOUBLE, parent BIGINT, most INTEGER, role TEXT NOT NULL DEFAULT 'worker', 
	PRIMARY KEY (id), 
	UNIQUE (digest)
);
INSERT INTO "invites" VALUES(1,'digest of ann','ann','',1.79498829706781101223e+09,NULL,NULL,NULL,'worker');
INSERT INTO "invites" VALUES(2,'digest of many',NULL,'for the panel',1.79498829706877970698e+09,NULL,NULL,100,'worker');
CREATE TABLE known (
	"left" TEXT NOT NULL, 
	"right" TEXT NOT NULL, 
	label BOOLEAN NOT NULL, 
	PRIMARY KEY ("left", "right")
);
CREATE TABLE people (
	name TEXT NOT NULL, 
	role TEXT NOT NULL, 
	password TEXT, 
	since DOUBLE NOT NULL, 
	ended DOUBLE, 
	PRIMARY KEY (name)
);
INSERT INTO "people" VALUES('Ann Lee','steward','scrypt$77b8a94b071f403af5af939c0a88ab03$7765bda1c77e20e89322808a307d9972fb762e3f996f8723c2c70c43d671a376d0abeaa8d4622f1ad8a2af6fa587371c581bfbaa70a2b330a3bd2b2c118a7cfb',1.79503691765313506123e+09,NULL);
CREATE TABLE project (
	id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	name TEXT NOT NULL, 
	inputs INTEGER NOT NULL, 
	last_vote BIGINT NOT NULL, 
	last_task BIGINT NOT NULL, 
	answered BIGINT NOT NULL, 
	settings TEXT NOT NULL, digest TEXT NOT NULL DEFAULT '', files TEXT, last_event BIGINT NOT NULL DEFAULT 0, event_digest TEXT NOT NULL DEFAULT '', 
	PRIMARY KEY (id)
);
INSERT INTO "project" VALUES(1,7,'88c21940929949628acccacf2fb4d4b5','people',1,15,7,5,'{"votes": 2, "lease_seconds": 600, "batch": 200, "paused": false, "budget": null, "price": 0.05, "currency": "EUR", "instructions": "Same person", "image_fields": [], "audit": 0.0}','a2854887f66ff36fd9fafed1aac332e2','d65af3ccd091c8ce374b3c5b3dff2130',12,'a253ec25cb54d0957fac4f68a859edfe');
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
INSERT INTO "questions" VALUES(3,'p4','p5',2,2,-1,3,1);
INSERT INTO "questions" VALUES(4,'p1','p3',2,2,0,4,1);
INSERT INTO "questions" VALUES(5,'p0','p2',1,1,0,5,1);
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
INSERT INTO "requests" VALUES('','file 1',10,2);
CREATE TABLE sent (
	id INTEGER NOT NULL, 
	crowd TEXT NOT NULL, 
	"left" TEXT NOT NULL, 
	"right" TEXT NOT NULL, 
	time DOUBLE NOT NULL, 
	outside TEXT, 
	state SMALLINT NOT NULL, 
	cost DOUBLE NOT NULL, 
	note TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (crowd, "left", "right")
);
CREATE TABLE sessions (
	digest TEXT NOT NULL, 
	until DOUBLE NOT NULL, person TEXT NOT NULL DEFAULT 'owner', 
	PRIMARY KEY (digest)
);
CREATE TABLE studies (
	id INTEGER NOT NULL, 
	crowd TEXT NOT NULL, 
	invite INTEGER NOT NULL, 
	outside TEXT, 
	parameter TEXT NOT NULL, 
	finish TEXT NOT NULL, 
	pack INTEGER NOT NULL, 
	checks INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (crowd), 
	FOREIGN KEY(invite) REFERENCES invites (id)
);
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
INSERT INTO "tasks" VALUES(1,1,'ann',1.79498889700147795677e+09,0,0,1,1);
INSERT INTO "tasks" VALUES(2,2,'ann',1.79498889702404808991e+09,1,0,1,2);
INSERT INTO "tasks" VALUES(3,3,'ann',1.79498889702699828147e+09,0,0,3,3);
INSERT INTO "tasks" VALUES(4,1,'bob',1.79498889703551435473e+09,1,0,1,4);
INSERT INTO "tasks" VALUES(5,2,'bob',1.79498889704347729685e+09,1,0,1,5);
INSERT INTO "tasks" VALUES(6,3,'cleo',1.79498889705545878409e+09,1,0,1,6);
INSERT INTO "tasks" VALUES(7,3,'ann',1.79498889705752730366e+09,1,1,0,NULL);
CREATE TABLE visits (
	study INTEGER NOT NULL, 
	worker TEXT NOT NULL, 
	session TEXT NOT NULL, 
	began DOUBLE NOT NULL, 
	ended DOUBLE, 
	verdict TEXT NOT NULL, 
	PRIMARY KEY (study, worker), 
	FOREIGN KEY(study) REFERENCES studies (id)
);
CREATE TABLE votes (id BIGINT NOT NULL PRIMARY KEY, time DOUBLE PRECISION NOT NULL, action TEXT NOT NULL, worker TEXT NOT NULL, "left" TEXT, "right" TEXT, label BOOLEAN, source TEXT NOT NULL, task BIGINT REFERENCES tasks (id), seconds DOUBLE PRECISION, shown TEXT, probability DOUBLE PRECISION, digest TEXT NOT NULL DEFAULT '');
INSERT INTO "votes" VALUES(1,1.79498829701820182798e+09,'vote','ann','p2','p3',1,'page',1,1.5,'{"swapped": false}',NULL,'0d5fd0aa73344599e6d5c6ac0ae71f8a');
INSERT INTO "votes" VALUES(2,1.79498829702577924723e+09,'vote','ann','p0','p1',0,'page',2,1.5,'{"swapped": true}',NULL,'2a318ee52b2fca521d53dea1f1c541d4');
INSERT INTO "votes" VALUES(3,1.79498829702814459798e+09,'vote','ann','p4','p5',NULL,'page',3,1.5,'{"swapped": false}',NULL,'a12d82c022583a0c1bc5974fe308e02f');
INSERT INTO "votes" VALUES(4,1.79498829703932833668e+09,'vote','bob','p2','p3',1,'page',4,1.5,'{"swapped": true}',NULL,'f0e2160c327e0aa85d857c10f4595848');
INSERT INTO "votes" VALUES(5,1.7949882970513272285e+09,'vote','bob','p0','p1',1,'page',5,1.5,'{"swapped": true}',NULL,'06bf581bd32906cb25af646f31c6a16c');
INSERT INTO "votes" VALUES(6,1.79498829705649042129e+09,'vote','cleo','p4','p5',0,'page',6,1.5,'{"swapped": true}',NULL,'372829477d67dad68391f2732f7ec07b');
INSERT INTO "votes" VALUES(7,1.79498829705752730367e+09,'undo','ann','p4','p5',NULL,'page',3,NULL,NULL,NULL,'95d1cc6bee60173733028004986e1234');
INSERT INTO "votes" VALUES(8,1.79498829706074643133e+09,'exclude','cleo',NULL,NULL,NULL,'owner',NULL,NULL,NULL,NULL,'755d6a714880d98d6937f96b59257008');
INSERT INTO "votes" VALUES(9,1.79498829706360220909e+09,'vote','owner','p0','p2',0,'owner',NULL,NULL,NULL,NULL,'21998df097c993916fad379dcc3334ae');
INSERT INTO "votes" VALUES(10,1.79498829706583738329e+09,'vote','model','p1','p3',0,'file',NULL,NULL,NULL,NULL,'0fb8060cc737d34f2f42f28b45134532');
INSERT INTO "votes" VALUES(11,1.79498829706583738329e+09,'vote','model','p4','p5',1,'file',NULL,NULL,NULL,0.75,'1c776bf25c2f66f33360ab39201cad0e');
INSERT INTO "votes" VALUES(12,1.7950031599209289551e+09,'vote','owner','p0','p2',0,'owner',NULL,NULL,NULL,NULL,'5ed86a95191bababd933d5b669fc9942');
INSERT INTO "votes" VALUES(13,1.79500315992474198346e+09,'vote','owner','p4','p5',1,'owner',NULL,NULL,NULL,NULL,'be92a7cf36832b125026afc9e6409afe');
INSERT INTO "votes" VALUES(14,1.79500315992609620098e+09,'vote','owner','p1','p3',1,'owner',NULL,NULL,NULL,NULL,'6048d7c9cf1e18074a6b753a730fc4b7');
INSERT INTO "votes" VALUES(15,1.79500315992741537088e+09,'vote','owner','p1','p3',NULL,'owner',NULL,NULL,NULL,NULL,'a2854887f66ff36fd9fafed1aac332e2');
CREATE TABLE workers (
	name TEXT NOT NULL, 
	since DOUBLE NOT NULL, 
	excluded BOOLEAN NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "workers" VALUES('ann',1.79498829700147795674e+09,0);
INSERT INTO "workers" VALUES('bob',1.7949882970355143547e+09,0);
INSERT INTO "workers" VALUES('cleo',1.79498829705545878405e+09,1);
INSERT INTO "workers" VALUES('owner',1.79498829706360220909e+09,0);
INSERT INTO "workers" VALUES('model',1.79498829706583738329e+09,0);
CREATE INDEX questions_next ON questions (rank) WHERE room > 0;
CREATE INDEX tasks_of_worker ON tasks (worker, state, vote);
CREATE INDEX tasks_until ON tasks (until) WHERE state = 0;
CREATE INDEX tasks_seen ON tasks (question, worker);
CREATE INDEX votes_on_pair ON votes ("left", "right", worker);
CREATE INDEX votes_of_worker ON votes (worker);
CREATE INDEX sent_outside ON sent (crowd, outside);
CREATE INDEX sent_state ON sent (crowd, state);
CREATE INDEX votes_on_right ON votes ("right");
COMMIT;
