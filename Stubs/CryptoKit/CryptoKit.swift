// Our own declarations of the Apple API that this project calls; nothing here runs.
