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
