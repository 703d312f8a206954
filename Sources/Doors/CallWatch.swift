import Dispatch
import Foundation

#if os(Linux)
  import Runtime
#endif

/// A call of an application that a world cannot place: the instant at which it takes effect depends on how fast the
/// threads of the process run.
package struct OutsideCall: Hashable, Sendable {
  /// The method of the door: `CBCentralManager.connect`.
  package var call: String
  /// The function that made it, with file and line where the program has debug information; found out on Linux alone.
  package var place: String
}

/// Watches from where applications call the doors of one world.
///
/// A world can repeat a run if every call is made at an instant that the world knows. These are
/// - calls in a callback of a door, also on a queue that the callback waits for (`queue.sync`);
/// - calls on a queue that the world waits for, while it waits for it or stands still;
/// - calls of the thread that uses the world, while it stands still.
///
/// All others are from outside: tasks, timers, queues that nobody waits for. A timer of real time on a queue that the
/// world waits for is taken for a call of the application if it fires while the world waits.
package final class CallWatch: Sendable {
  package enum Phase: Hashable, Sendable {
    /// Between two runs: one thread uses the world.
    case still
    /// The world waits for the queues of applications.
    case waiting
    /// Virtual time runs.
    case running
  }

  private struct State {
    var phase = Phase.still
    var user: ObjectIdentifier
    var queues: Set<Int> = []
    var outsideCalls = 0
  }

  /// To find out where a call comes from takes milliseconds; of those after so many only the number is of use.
  package static let placesMaximum = 32

  /// The callback of a door that runs on a thread.
  final class Callback: Sendable {
    @TaskLocal static var current: Callback?

    private let thread = CallWatch.thread
    private let isOver = Guarded(false)

    func end() { isOver.withLock { $0 = true } }

    /// A task that was made in a callback has the same task-local value, and runs elsewhere or later.
    var isHere: Bool { thread == CallWatch.thread && !isOver.current }
  }

  private let state: Guarded<State>
  private let heard: @Sendable (OutsideCall) -> Void

  /// - Parameter heard: called for each call from outside, on the thread of that call.
  package init(heard: @escaping @Sendable (OutsideCall) -> Void) {
    state = Guarded(State(user: CallWatch.thread))
    self.heard = heard
  }

  /// The present thread is that which uses the world; what the world does from now on.
  package func begin(_ phase: Phase) {
    state.withLock { state in
      state.phase = phase
      state.user = CallWatch.thread
    }
  }

  /// The world waits for a queue of this mark.
  func add(_ mark: Int) { state.withLock { _ = $0.queues.insert(mark) } }

  /// An application calls a door, on a queue with this mark.
  func check(on mark: Int?) {
    if Callback.current?.isHere == true { return }
    let number = state.withLock { state in
      let isInside =
        switch state.phase {
        case .still: state.user == CallWatch.thread || mark.map(state.queues.contains) == true
        case .waiting: mark.map(state.queues.contains) == true
        case .running: false
        }
      if !isInside { state.outsideCalls += 1 }
      return isInside ? 0 : state.outsideCalls
    }
    if number > 0 { heard(CallWatch.here(isSought: number <= CallWatch.placesMaximum)) }
  }

  private static var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

  /// Modules between an application and this one, as symbols begin: a count of bytes and a name.
  private static let modules = ["CoreBluetooth", "MultipeerConnectivity", "RollcallDoors", "RollcallPhones"]
    .map { "$s\($0.utf8.count)\($0)" }

  /// The reader of symbols crashes if two threads use it.
  private static let symbols = Guarded(())

  /// Where the present call of a door comes from.
  private static func here(isSought: Bool) -> OutsideCall {
    var found = OutsideCall(call: "a call", place: "an unknown function")
    #if os(Linux)
      guard isSought else { return found }
      let addresses = Thread.callStackReturnAddresses.prefix(24).map(\.uint64Value)
      let trace = symbols.withLock { _ in CallWatch.backtrace(of: addresses)?.symbolicated() }
      guard let frames = trace?.frames else { return found }
      for symbol in frames.compactMap(\.symbol) {
        // Foundation reads the stack, and the last reference to an object goes in a function of the language's own.
        if symbol.imageName.hasPrefix("libswift") || symbol.imageName.hasPrefix("libFoundation") { continue }
        guard modules.contains(where: symbol.rawName.hasPrefix) else {
          found.place = function(symbol.name)
          if let at = symbol.sourceLocation, at.line > 0 {
            found.place += " (\(at.path.split(separator: "/").last ?? ""):\(at.line))"
          }
          return found
        }
        // The last one is that which the application called.
        found.call = function(symbol.name)
      }
    #endif
    return found
  }

  #if os(Linux)
    static func bigEndian(_ word: UInt64) -> [UInt8] {
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }

    /// A backtrace of these return addresses, in the form in which it is written as JSON: no initializer takes them.
    ///
    /// `Backtrace.capture` follows frame pointers, and crashes where C code has used their register for something else.
    private static func backtrace(of addresses: [UInt64]) -> Backtrace? {
      #if arch(arm64)
        let architecture = "arm64"
      #else
        let architecture = "x86_64"
      #endif
      // Version 0 with words of 64 bits, then for each: a return address (0x20), absolute (0x08), of 7 + 1 bytes.
      var bytes = Data([2])
      for address in addresses {
        bytes.append(0x2F)
        bytes += bigEndian(address)
      }
      let coded = [
        "architecture": architecture, "backtrace": bytes.base64EncodedString(),
        "imageMap": LoadedImages.current.bytes.base64EncodedString(),
      ]
      return (try? JSONEncoder().encode(coded)).flatMap { try? JSONDecoder().decode(Backtrace.self, from: $0) }
    }
  #endif

  /// The name of a function without its parameters: `Lamp.start`, `a closure in Lamp.start`.
  static func function(_ symbol: String) -> String {
    var name = Substring(symbol)
    // A part of an asynchronous function.
    if let part = name.range(of: "partial function for ") { name = name[part.upperBound...] }
    var prefix = ""
    if name.hasPrefix("closure #"), let outer = name.range(of: " in ", options: .backwards) {
      (name, prefix) = (name[outer.upperBound...], "a closure in ")
    }
    return prefix
      + name.prefix { $0 != "(" }.replacing("__allocating_", with: "")
      .replacing("__deallocating_", with: "")
  }
}
