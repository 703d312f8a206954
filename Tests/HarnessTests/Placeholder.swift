// HarnessTests
