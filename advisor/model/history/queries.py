"""Questions to the tables of the history, answered by their indices."""

from __future__ import annotations

from advisor.model.history.rows import FINGERPRINT_COLUMNS

# Of one device no run is looked up: the index of kernels alone answers.
LATEST = """
SELECT path, name, source, max(run) FROM fingerprints INDEXED BY fingerprints_of_kernel
GROUP BY path, name, source ORDER BY max(run), path, name
"""

LATEST_OF_DEVICE = """
SELECT f.path, f.name, f.source, max(f.run)
FROM fingerprints f INDEXED BY fingerprints_of_kernel JOIN runs r ON r.id = f.run
WHERE r.device = ? GROUP BY f.path, f.name, f.source ORDER BY max(f.run), f.path, f.name
"""

# What the SIMT machine ran was not measured, whatever its fingerprints say.
MEASURED_OF_PATH = """
SELECT f.name, max(f.run), r.device, f.source_hash FROM fingerprints f JOIN runs r ON r.id = f.run
WHERE f.path = :path AND f.source = 'measured' AND r.executed_on <> 'simt'
GROUP BY f.name, f.source_hash, r.device, r.executed_on, r.kind, r.command ORDER BY max(f.run) DESC
"""

OF_KERNEL = f"""
SELECT {FINGERPRINT_COLUMNS} FROM fingerprints
WHERE path IS :path AND name = :name AND run = :run AND source = :source ORDER BY id
"""

# Runs with a kernel of this run; those with its label first, and of each the latest.
BEFORE = """
SELECT r.id FROM runs r
WHERE r.id < :run AND r.device = :device AND r.kind <> 'recording' AND r.status = 'done' AND EXISTS (
    SELECT 1 FROM fingerprints f JOIN fingerprints g ON g.name = f.name
    WHERE f.run = :run AND g.run = r.id AND f.source = :source AND g.source = :source
)
ORDER BY r.label = :label DESC, r.id DESC LIMIT 1
"""
