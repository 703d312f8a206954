package import RollcallEngines
package import RollcallPrimitives
package import RollcallSimulation

/// What takes the place of Rollcall's engine in runs.
package struct RunEngine: Sendable {
  /// One of it, for one run.
  package struct Seat {
    package var add: EngineMaker
    /// Ends it, when the run is over.
    package var end: () -> EngineEnd
  }

  /// A seat in a run with this seed and duration.
  package var seat: @Sendable (Seed, Interval) -> Seat
  /// The command that starts it; `nil`: it is a machine of this process, which is given all that Rollcall's is given.
  package var command: String?
  /// Whether it is a process, which is given datagrams and time alone (`EngineFit`).
  package var isForeign: Bool { command != nil }

  /// - Parameter add: adds the machine, as it is before a run.
  package init(adding add: @escaping @Sendable (inout Machines) -> Void) {
    seat = { _, _ in Seat(add: add, end: { EngineEnd() }) }
  }

  /// - Parameters:
  ///   - command: as it was typed.
  ///   - start: starts a process of it, one for each run.
  package init(command: String, start: @escaping @Sendable () throws(EngineFailure) -> any EngineChannel) {
    self.command = command
    seat = { seed, duration in
      let link = EngineLink(seed: seed, duration: duration, start: start)
      return Seat(add: { $0.append(ForeignEngine(link)) }, end: { link.end() })
    }
  }
}
