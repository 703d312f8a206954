// FuzzTargetsTests
