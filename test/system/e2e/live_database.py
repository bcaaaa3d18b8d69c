"""Writes to a database of SQLite until it is killed, or checks one: live_database.py write FILE MODE | check FILE"""
import sqlite3
import sys
import time


def write(path, mode):
    database = sqlite3.connect(path, isolation_level=None, timeout=10)
    database.execute(f"pragma journal_mode={mode}")
    database.execute("pragma wal_autocheckpoint=20")
    for table in "ab":
        database.execute(f"create table {table}(id integer primary key, v int, pad text)")
    database.execute("create index of_a on a(v)")
    print("ready", flush=True)
    for number in range(1, 1_000_000):
        database.execute("begin immediate")
        for table in "ab":
            database.execute(f"insert into {table}(v, pad) values(?, ?)", (number, table * 700))
        database.execute("update a set pad = ? where id % 11 = ?", ("z" * 700, number % 11))
        database.execute("commit")
        if number % 90 == 0:
            database.execute("vacuum")
        time.sleep(1 / 40)


def check(path):
    database = sqlite3.connect(path)
    sound = database.execute("pragma integrity_check").fetchone()[0]
    counts = [
        database.execute(f"select count(*), max(id), sum(v) from {table}").fetchone() for table in "ab"
    ]
    rows, last, total = counts[0]
    whole = rows == last and total == rows * (rows + 1) // 2
    print(rows if sound == "ok" and counts[0] == counts[1] and whole else f"broken: {sound} {counts}")


if sys.argv[1] == "write":
    write(sys.argv[2], sys.argv[3])
else:
    check(sys.argv[2])
