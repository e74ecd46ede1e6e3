// Being built; see CONTRIBUTING.md.
