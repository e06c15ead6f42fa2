"""The SQL that gives roles what they need of a history in PostgreSQL, and no more."""

from __future__ import annotations

from advisor.model.errors import UsageError

READER, RECORDER = "advisor_reader", "advisor_recorder"

_SQL = """\
-- For who owns the tables, in their database, after `advisor history prepare`:
--     advisor history roles | psql ADDRESS
-- A reader sees everything (report, diff, budget, check). A recorder also adds runs (profile, import,
-- monitor) and notes how they ended; neither changes or removes what was measured. Making roles takes
-- CREATEROLE.
DO $$ BEGIN CREATE ROLE {reader} NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE {recorder} NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO {reader}, {recorder}', current_schema());
END $$;
GRANT SELECT ON history_format, runs, kernels, fingerprints TO {reader}, {recorder};
GRANT INSERT ON runs, kernels, fingerprints TO {recorder};
GRANT UPDATE (ended, status, metrics, notes, host) ON runs TO {recorder};
-- Then, for each person or job:
--     CREATE ROLE ann LOGIN PASSWORD '...';
--     GRANT {recorder} TO ann;
"""


def roles_sql(reader: str = READER, recorder: str = RECORDER) -> str:
    """The statements for two roles; raises UsageError for a name that SQL would have to quote."""
    for name in (reader, recorder):
        if not (name.isascii() and name.isidentifier() and name == name.lower() and len(name) < 64):
            raise UsageError(f"`{name}` is no name for a role: small letters, digits and _ only.")
    return _SQL.format(reader=reader, recorder=recorder)
