"""The tables of the database, the same in SQLite and PostgreSQL."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)

OPEN, ANSWERED, LAPSED, UNDONE = range(4)
"""What became of a task: open, answered, expired, taken back."""

OUT, DONE, ASIDE = range(3)
"""What became of a question that was sent: no answer yet, all answers, or failed and set aside."""

metadata = MetaData()

_Serial = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only if the type is INTEGER

# One row. Every writer locks it first, so votes have numbers without gaps, in the order in which they are seen.
# `digest` is that of the last row of votes, `event_digest` that of the last event.
# `files` is the digest of the records and pairs in the folder.
project = Table(
    "project",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("key", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("inputs", Integer, nullable=False),
    Column("last_vote", BigInteger, nullable=False),
    Column("last_task", BigInteger, nullable=False),
    Column("answered", BigInteger, nullable=False),
    Column("settings", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("files", Text),
    Column("last_event", BigInteger, nullable=False, server_default="0"),
    Column("event_digest", Text, nullable=False, server_default=""),
)

# What people do at the desk: edits, undo and redo, reviews, comments, and every change of settings, rules and access.
# Rows are only ever added; `digest` covers the row and the digest of the row before. `data` is JSON.
events = Table(
    "events",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("time", Double, nullable=False),
    Column("person", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("digest", Text, nullable=False),
)

# Who may sign in with a name and a password. Their roles are in `access.py`; `ended` is when it was taken away.
people = Table(
    "people",
    metadata,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("password", Text),
    Column("since", Double, nullable=False),
    Column("ended", Double),
)

# The queue. `room` is how many more workers may get the question: wanted - votes - tasks that are open.
# `touched` is set when the first worker gets it; until then, better questions may replace it.
# While a question has an `assignee`, only that worker gets it.
questions = Table(
    "questions",
    metadata,
    Column("id", _Serial, primary_key=True),
    Column("left", Text, nullable=False),
    Column("right", Text, nullable=False),
    Column("wanted", Integer, nullable=False),
    Column("votes", Integer, nullable=False),
    Column("room", Integer, nullable=False),
    Column("rank", BigInteger, nullable=False),
    Column("touched", Boolean, nullable=False),
    Column("assignee", Text),
    UniqueConstraint("left", "right"),
)
Index(
    "questions_next",
    questions.c.assignee,
    questions.c.rank,
    sqlite_where=questions.c.room > 0,
    postgresql_where=questions.c.room > 0,
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("question", ForeignKey("questions.id"), nullable=False),
    Column("worker", Text, nullable=False),
    Column("until", Double, nullable=False),
    Column("swapped", Boolean, nullable=False),
    Column("again", Boolean, nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("vote", BigInteger),
)
Index("tasks_seen", tasks.c.question, tasks.c.worker)
Index("tasks_of_worker", tasks.c.worker, tasks.c.state, tasks.c.vote)
Index("tasks_until", tasks.c.until, sqlite_where=tasks.c.state == OPEN, postgresql_where=tasks.c.state == OPEN)

# `digest` runs on: it covers the row and the digest of the row before.
votes = Table(
    "votes",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("time", Double, nullable=False),
    Column("action", Text, nullable=False),
    Column("worker", Text, nullable=False),
    Column("left", Text),
    Column("right", Text),
    Column("label", Boolean),
    Column("source", Text, nullable=False),
    Column("task", ForeignKey("tasks.id")),
    Column("seconds", Double),
    Column("shown", Text),
    Column("probability", Double),
    Column("digest", Text, nullable=False),
)
Index("votes_on_pair", votes.c.left, votes.c.right, votes.c.worker)
Index("votes_of_worker", votes.c.worker)
Index("votes_on_right", votes.c.right)

requests = Table(
    "requests",
    metadata,
    Column("scope", Text, primary_key=True),
    Column("request", Text, primary_key=True),
    Column("first", BigInteger, nullable=False),
    Column("count", BigInteger, nullable=False),
)

workers = Table(
    "workers",
    metadata,
    Column("name", Text, primary_key=True),
    Column("since", Double, nullable=False),
    Column("excluded", Boolean, nullable=False),
)

# A link for many has no worker, and up to `most` people may join by it. Each of them gets a personal link, whose
# `parent` is the link that they joined by.
invites = Table(
    "invites",
    metadata,
    Column("id", _Serial, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("worker", Text),
    Column("note", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("revoked", Double),
    Column("parent", BigInteger),
    Column("most", Integer),
    Column("role", Text, nullable=False, server_default="worker"),
)

# Where people are signed in with a password; `digest` is that of the cookie.
sessions = Table(
    "sessions",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("until", Double, nullable=False),
    Column("person", Text, nullable=False, server_default="owner"),
)

history = Table(
    "history",
    metadata,
    Column("vote", BigInteger, primary_key=True, autoincrement=False),
    Column("time", Double, nullable=False),
    Column("questions", BigInteger, nullable=False),
    Column("votes", BigInteger, nullable=False),
    Column("clusters", BigInteger, nullable=False),
    Column("reliability", Double, nullable=False),
    Column("assumed", BigInteger, nullable=False),
    Column("f1", Double),
    Column("f1_low", Double),
    Column("f1_high", Double),
)

# Pairs that were drawn by chance, in order, each with the probability it had in one draw.
audits = Table(
    "audits",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("left", Text, nullable=False),
    Column("right", Text, nullable=False),
    Column("probability", Double, nullable=False),
)

# One row: the lasting cluster id of every record, as an array, and the next id that is free.
cluster_ids = Table(
    "cluster_ids",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("following", BigInteger, nullable=False),
    Column("ids", LargeBinary, nullable=False),
)

# One row for each version of the cluster ids: when it was made, and what had been taken in by then. `fit` is the number
# of votes at the last fit.
clusterings = Table(
    "clusterings",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("time", Double, nullable=False),
    Column("inputs", Integer, nullable=False),
    Column("vote", BigInteger, nullable=False),
    Column("event", BigInteger, nullable=False),
    Column("fit", BigInteger, nullable=False),
)

# One row for each record, by its position, that went to another cluster in a version of the cluster ids. `causes` is a
# sum of the numbers in `moves.py`.
moves = Table(
    "moves",
    metadata,
    Column("record", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("origin", BigInteger, nullable=False),
    Column("cluster", BigInteger, nullable=False),
    Column("causes", SmallInteger, nullable=False),
    sqlite_with_rowid=False,
)

# Questions that were sent to a crowd that works elsewhere; what is here is never sent to the same crowd again.
sent = Table(
    "sent",
    metadata,
    Column("id", _Serial, primary_key=True),
    Column("crowd", Text, nullable=False),
    Column("left", Text, nullable=False),
    Column("right", Text, nullable=False),
    Column("time", Double, nullable=False),
    Column("outside", Text),
    Column("state", SmallInteger, nullable=False),
    Column("cost", Double, nullable=False),
    Column("note", Text, nullable=False),
    UniqueConstraint("crowd", "left", "right"),
)
Index("sent_state", sent.c.crowd, sent.c.state)
Index("sent_outside", sent.c.crowd, sent.c.outside)

# A study on a panel: people come by the link `invite`, answer `pack` questions and some with known answers, and leave
# by the address `finish`. `outside` is the panel's own id of the study.
studies = Table(
    "studies",
    metadata,
    Column("id", _Serial, primary_key=True),
    Column("crowd", Text, nullable=False, unique=True),
    Column("invite", ForeignKey("invites.id"), nullable=False),
    Column("outside", Text),
    Column("parameter", Text, nullable=False),
    Column("finish", Text, nullable=False),
    Column("pack", Integer, nullable=False),
    Column("checks", Integer, nullable=False),
)

visits = Table(
    "visits",
    metadata,
    Column("study", ForeignKey("studies.id"), primary_key=True),
    Column("worker", Text, primary_key=True),
    Column("session", Text, nullable=False),
    Column("began", Double, nullable=False),
    Column("ended", Double),
    Column("verdict", Text, nullable=False),
)

# Pairs with known answers, by which people who come from a panel are tested.
known = Table(
    "known",
    metadata,
    Column("left", Text, primary_key=True),
    Column("right", Text, primary_key=True),
    Column("label", Boolean, nullable=False),
)
