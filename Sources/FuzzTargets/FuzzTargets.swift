// FuzzTargets
