"""The release checklist: what must hold before an upload, each looked at by a machine."""
