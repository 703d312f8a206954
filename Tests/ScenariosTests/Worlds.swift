import RollcallExpectations
import RollcallPrimitives

@testable import RollcallScenarios

/// So many seconds after the begin of a run.
func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

/// The world of a scenario without the checks of a document; it has to be built without a complaint.
func built(_ scenario: Scenario) -> Resolved {
  var world = WorldBuilder(scenario)
  let complaint = world.build()
  expectEqual(complaint?.message, nil)
  return world.resolved
}

/// What is said against a scenario that was made in Swift, each behind the path of what is wrong.
func complaints(_ scenario: Scenario) -> [String] {
  ScenarioChecks(scenario).complaints.map { "\($0.path): \($0.message)" }
}
