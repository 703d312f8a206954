// ScenariosTests
