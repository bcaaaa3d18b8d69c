"""Versions of a database of SQLite: database_versions.py first FILE [MODE] | second FILE (leaves a log) | rows FILE"""
import os
import sqlite3
import sys

command, path = sys.argv[1], sys.argv[2]
database = sqlite3.connect(path, isolation_level=None)
if command == "first":
    database.execute(f"pragma journal_mode={sys.argv[3] if len(sys.argv) > 3 else 'wal'}")
    database.execute("create table t(id integer primary key, v text)")
    database.execute("create index of_t on t(v)")
    for number in range(200):
        database.execute("insert into t(v) values(?)", (f"first {number}" + "x" * 300,))
    database.close()
elif command == "second":
    database.execute("pragma journal_mode=wal")
    database.execute("pragma wal_autocheckpoint=0")
    if len(sys.argv) > 3:
        database.execute("delete from t where id % 3 = 0")
        database.execute("pragma wal_checkpoint(truncate)")
    database.execute("update t set v = 'second ' || id")
    # Without closing it, which would remove the log.
    os._exit(0)
else:
    sound = database.execute("pragma integrity_check").fetchone()[0]
    kinds = sorted({v.split(" ")[0] for (v,) in database.execute("select v from t")})
    print(sound, *kinds)
