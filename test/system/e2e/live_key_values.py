"""Writes to a store of keys and values until it is killed, or checks one: live_key_values.py write KIND PATH | add FIRST LAST KIND PATH | check KIND PATH

KIND is lmdb, lmdb-writemap or leveldb. Each transaction adds a number to two tables, and replaces what was added earlier.
"""
import sys
import time

PAD = b"." * 300


def lmdb_at(path, kind, **more):
    import lmdb

    return lmdb.open(path, subdir=not path.endswith(".mdb"), map_size=2**26, max_dbs=4, writemap=kind == "lmdb-writemap", **more)


def write(kind, path, numbers=range(1, 1_000_000)):
    if kind == "leveldb":
        import plyvel

        store = plyvel.DB(path, create_if_missing=True, write_buffer_size=65536, max_file_size=65536)
    else:
        store = lmdb_at(path, kind)
        tables = {table: store.open_db(table.encode()) for table in "ab"}
    print("ready", flush=True)
    for number in numbers:
        earlier = number - number % 97
        if kind == "leveldb":
            with store.write_batch(transaction=True) as batch:
                for table in "ab":
                    batch.put(b"%s%08d" % (table.encode(), number), b"%d" % number + PAD)
                    batch.put(b"%slast" % table.encode(), b"%d" % number)
                    batch.put(b"x%08d" % (number % 500), b"%d" % number + PAD * 4)
        else:
            with store.begin(write=True) as batch:
                for table in tables.values():
                    batch.put(b"%08d" % number, b"%d" % number + PAD, db=table)
                    if earlier:
                        batch.put(b"%08d" % earlier, b"%d" % earlier + PAD * (1 + number % 9), db=table)
        time.sleep(1 / 150)


def read(kind, path):
    """The numbers in each table."""
    if kind == "leveldb":
        import plyvel

        store = plyvel.DB(path, paranoid_checks=True)
        rows = [[value.split(b".")[0] for _, value in store.iterator(start=b"%s0" % t, stop=b"%s:" % t)] for t in (b"a", b"b")]
        last = [store.get(b"%slast" % t) for t in (b"a", b"b")]
        assert last == [row[-1] for row in rows], last
        sum(len(value) for _, value in store.iterator(start=b"x"))
    else:
        store = lmdb_at(path, "lmdb", readonly=False)
        with store.begin() as batch:
            tables = [store.open_db(t, batch, create=False) for t in (b"a", b"b")]
            rows = [[value.split(b".")[0] for _, value in batch.cursor(db=table)] for table in tables]
    return [[int(one) for one in row] for row in rows]


def check(kind, path):
    try:
        first, second = read(kind, path)
        whole = first == second == list(range(1, len(first) + 1))
        print(len(first) if whole else f"broken: {len(first)} {len(second)} {first[-3:]} {second[-3:]}")
    except Exception as error:
        print(f"broken: {error!r}")


if sys.argv[1] == "write":
    write(*sys.argv[2:])
elif sys.argv[1] == "add":
    first, last = map(int, sys.argv[2:4])
    write(*sys.argv[4:], range(first, last + 1))
else:
    check(*sys.argv[2:])
