"""Helpers of the tests of `heddle sweep`: the tables of a file without the columns of the host, and kernels that end in every way."""
import sqlite3

TABLES = ("study", "machine", "design", "launch", "point", "member", "run")

SCALE = """.version 6.0
.target sm_60
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y)
{
.reg .b32 %r<6>;
.reg .b64 %d<6>;
ld.param.u64 %d1, [x];
ld.param.u64 %d2, [y];
mov.u32 %r1, %tid.x;
mul.wide.u32 %d3, %r1, 4;
add.s64 %d4, %d1, %d3;
add.s64 %d5, %d2, %d3;
ld.global.u32 %r2, [%d4];
mul.lo.u32 %r3, %r2, 3;
st.global.u32 [%d5], %r3;
ret;
}
"""


def query(path, sql):
    with sqlite3.connect(path) as database:
        return database.execute(sql).fetchall()


def dump(path):
    """All tables, each sorted, without the columns that depend on the host."""
    out = {}
    for table in TABLES:
        columns = [row[1] for row in query(path, f"PRAGMA table_info({table})") if not row[1].startswith("worker_")]
        out[table] = (columns, sorted(query(path, f"SELECT {', '.join(columns)} FROM {table}"), key=repr))
    return out


def statuses(path):
    return dict(query(path, "SELECT status, count(*) FROM run GROUP BY 1"))
