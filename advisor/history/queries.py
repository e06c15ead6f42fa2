"""Questions to the tables of the history, answered by their indices."""

from __future__ import annotations

from advisor.history.rows import FINGERPRINT_COLUMNS

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

LATEST_OF_PATH = """
SELECT f.name, max(f.run) FROM fingerprints f JOIN runs r ON r.id = f.run
WHERE f.path = :path AND (:device IS NULL OR r.device = :device) AND (:source IS NULL OR f.source = :source)
GROUP BY f.name ORDER BY min(f.id)
"""

OF_KERNEL = f"""
SELECT {FINGERPRINT_COLUMNS} FROM fingerprints
WHERE path IS :path AND name = :name AND run = :run AND (:source IS NULL OR source = :source) ORDER BY id
"""
