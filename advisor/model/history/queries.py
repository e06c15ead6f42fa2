"""Questions to the tables of the history, answered by their indices, in the SQL that every database knows."""

from __future__ import annotations

from advisor.model.history.rows import FINGERPRINT_COLUMNS, READ_COLUMNS

INSERT_RUN = """
INSERT INTO runs (kind, label, command, started, device, executed_on, toolchain, commit_id, dirty, status,
    metrics, notes, host, process)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', '{}', '[]', '{}', ?)
"""

END_RUN = "UPDATE runs SET ended = ?, status = ?, metrics = ?, notes = ?, host = ? WHERE id = ?"

INSERT_KERNEL = """
INSERT INTO kernels (path, name, source, device)
SELECT ?, ?, ?, device FROM runs WHERE id = ? ON CONFLICT DO NOTHING
"""

INSERT_FINGERPRINT = f"""
INSERT INTO fingerprints (run, kernel, {FINGERPRINT_COLUMNS})
VALUES (?, (SELECT k.id FROM kernels k JOIN runs r ON r.device = k.device
    WHERE k.path = ? AND k.name = ? AND k.source = ? AND r.id = ?),
    {", ".join("?" * len(FINGERPRINT_COLUMNS.split(",")))})
"""

# For each kernel one look at the end of its part of the index: SQLite keeps the order of a CROSS JOIN.
LATEST = f"""
SELECT f.run, {READ_COLUMNS} FROM (
    SELECT id, path, name, source, (SELECT max(l.run) FROM fingerprints l WHERE l.kernel = kernels.id) AS run
    FROM kernels
) k CROSS JOIN fingerprints f WHERE f.kernel = k.id AND f.run = k.run
ORDER BY f.run DESC, k.path, k.name, k.source, f.id
"""

# What the SIMT machine ran was not measured, whatever its fingerprints say.
MEASURED_RUNS = """
SELECT max(f.run), r.device, f.source_hash
FROM (SELECT run, source_hash FROM fingerprints WHERE kernel = ? ORDER BY run DESC LIMIT ?) f
JOIN runs r ON r.id = f.run WHERE r.executed_on <> 'simt'
GROUP BY f.source_hash, r.device, r.executed_on, r.kind, r.command
"""

OF_KERNEL = f"""
SELECT {READ_COLUMNS} FROM kernels k JOIN fingerprints f ON f.kernel = k.id
WHERE k.path = ? AND k.name = ? AND k.source = ? AND f.run = ? ORDER BY f.id
"""

TIMES = """
SELECT f.id, f.run, r.started, r.commit_id, r.device, k.source, k.name, nullif(k.path, ''),
    f.source_hash, f.grid, f.block, f.launches, f.mean_ms
FROM (
    SELECT id, run, kernel, source_hash, grid, block, launches, mean_ms FROM fingerprints
    WHERE kernel = ? AND mean_ms IS NOT NULL ORDER BY run DESC, id DESC LIMIT ?
) f JOIN kernels k ON k.id = f.kernel JOIN runs r ON r.id = f.run
"""

LATEST_OF_SHAPES = """
SELECT max(f.id) FROM (
    SELECT id, grid, block, source_hash FROM fingerprints
    WHERE kernel = (SELECT id FROM kernels WHERE path = ? AND name = ? AND source = ? AND device = ?)
        AND mean_ms IS NOT NULL ORDER BY run DESC, id DESC LIMIT ?
) f WHERE coalesce(f.source_hash, '') = ? GROUP BY f.grid, f.block ORDER BY max(f.id) DESC
"""

# Runs with a kernel of this run, wherever its file lies; those with its label first, and of each the latest.
BEFORE = """
SELECT r.id FROM runs r
WHERE r.id < ? AND r.device = ? AND r.kind <> 'recording' AND r.status = 'done' AND EXISTS (
    SELECT 1 FROM fingerprints f JOIN kernels k ON k.id = f.kernel
    JOIN kernels m ON m.name = k.name AND m.source = k.source AND m.device = k.device
    JOIN fingerprints g ON g.kernel = m.id AND g.run = r.id
    WHERE f.run = ? AND k.source = ?
)
ORDER BY CASE WHEN r.label = ? THEN 1 ELSE 0 END DESC, r.id DESC LIMIT 1
"""
