import CoreBluetooth
import Foundation
import RollcallLive
import RollcallPhones
import RollcallPrimitives
import RollcallWire
import Synchronization

/// A phone of this process on a virtual radio of another one (`rollcall serve-hci`), in real time.
///
///     try ServedPhone.attach("tcp:127.0.0.1:9000", name: "Ada's phone")
///     let app = LampApp()
///
/// From then on, managers of CoreBluetooth that are made anywhere in this process attach to it. Their state is
/// `poweredOn` when the controller has answered, and `poweredOff` from the moment at which it is gone or cannot be used.
public final class ServedPhone: Sendable {
  /// The variable of the environment that says where the radio is, if the program does not.
  public static let variable = "ROLLCALL_RADIO"

  private static let attached = Mutex<ServedPhone?>(nil)

  private let party: PhoneParty
  private let run: LiveRun

  /// A phone on the radio that is served at a place; it connects by itself.
  /// - Parameters:
  ///   - place: `tcp:HOST:PORT` or `unix:PATH`.
  ///   - name: what the phone calls itself, and what its identifiers of peripherals are made from.
  ///   - address: a random address such as `c4:00:00:00:00:01/random` to be found under; `nil`: the controller's own.
  /// - Throws: `ServedPhoneError` where place or address cannot be read. Whether somebody is there shows later, in the
  ///   state of managers and in `failure`.
  public init(_ place: String, name: String = "Phone", address: String? = nil) throws {
    guard let place = HCIPlace(place) else {
      throw ServedPhoneError("\(place) is no place of a radio: expected tcp:HOST:PORT or unix:PATH")
    }
    let own = try address.map { text in
      guard let address = RadioAddress(text), address.isRandom else {
        throw ServedPhoneError("\(text) is no random address such as c4:00:00:00:00:01/random")
      }
      return address
    }
    let phone = SimulatedPhone(name: name, epoch: Date().timeIntervalSinceReferenceDate)
    let party = PhoneParty(phone, address: own)
    let run = LiveRun(LivePlan(interfaces: [], duration: nil), party: party)
    (self.party, self.run) = (party, run)
    party.open(place, on: run)
    run.runApart { _ in }
  }

  deinit { run.stop() }

  /// Makes a phone the one of this process: managers that are made from now on have it, unless their task has another.
  /// - Parameters:
  ///   - place: as for a phone; `nil`: what the variable `ROLLCALL_RADIO` says.
  /// - Throws: `ServedPhoneError`, also where nothing says where the radio is.
  @discardableResult public static func attach(
    _ place: String? = nil, name: String = "Phone", address: String? = nil
  ) throws -> ServedPhone {
    guard let place = place ?? ProcessInfo.processInfo.environment[variable] else {
      throw ServedPhoneError("no radio: \(variable) is not set")
    }
    let phone = try ServedPhone(place, name: name, address: address)
    PhoneLink.standard = phone.party.phone
    attached.withLock { $0 = phone }
    return phone
  }

  /// Runs code of an application on this phone, beside others in one process.
  public func enter<Result>(_ body: () throws -> Result) rethrows -> Result {
    try PhoneLink.$current.withValue(party.phone) { try body() }
  }

  /// Why the radio cannot be used; `nil` as long as it can, or was not reached yet.
  public var failure: String? { party.failure.withLock { $0 } }

  /// Leaves the radio, as if the phone had been switched off: who is connected to it notices by silence.
  public func close() { run.stop() }
}

/// Why there is no phone.
public struct ServedPhoneError: Error, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}
