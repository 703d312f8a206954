import RollcallScenarios

/// Of an entry of `expect:`, in all files of these tests: swift-testing has an `Expectation` of its own.
typealias Expectation = RollcallScenarios.Expectation
