public import RollcallPrimitives

/// Reads the messages that one machine hears, and those that it heard before only once.
///
/// Devices repeat themselves. A message that comes for the second time is remembered with its index and with what the
/// machine noted about it (`SSDPMessage.hint`), and is recognised from then on: by the digest of its payload, which the
/// gate works out anyway, and then by all of its bytes. A message that differs in its DATE alone is the same message.
/// What is never repeated pushes nothing out.
///
/// Copies of a machine share its intake. What is remembered of bytes holds for all of them, and a mark is given once
/// among them, so each can tell its own hints from those of the others. They may not run at the same time.
public final class SSDPIntake: @unchecked Sendable {
  /// The most messages that are remembered, in some 4 MB.
  public static let messagesMaximum = 4_096

  public let mode: SSDPMode
  private let memory: UnsafeMutablePointer<SSDPMemory>

  /// - Parameter messagesMaximum: how many messages are remembered, up to 4 096; 0: every message is read anew.
  public init(_ mode: SSDPMode, messagesMaximum: Int = SSDPIntake.messagesMaximum) {
    self.mode = mode
    memory = .allocate(capacity: 1)
    memory.initialize(to: SSDPMemory(min(messagesMaximum, SSDPIntake.messagesMaximum)))
  }

  deinit { memory.deinitialize(count: 1).deallocate() }

  /// Reads a payload, or recognises it; from its second time on it is remembered.
  ///
  /// The answer is good until the payload is released or read in the other mode, or another payload is read here.
  public func read(_ payload: Payload, in store: PayloadStore) -> SSDPReading {
    let bytes = store.bytes(of: payload)
    guard memory.pointee.takes(bytes.count) else { return SSDPReader.reading(of: payload, in: store, mode: mode) }
    var withoutDigits: UInt64 = 0
    if let known = memory.pointee.recognise(payload, in: store, &withoutDigits) { return .message(known) }
    let reading = SSDPReader.reading(of: payload, in: store, mode: mode)
    guard case .message(let message) = reading else { return reading }
    return .message(memory.pointee.learn(message, of: payload, in: store, withoutDigits))
  }

  /// The payload's message if it is remembered; the question teaches nothing.
  public func recognise(_ payload: Payload, in store: PayloadStore) -> SSDPMessage? {
    let bytes = store.bytes(of: payload)
    guard memory.pointee.takes(bytes.count) else { return nil }
    var withoutDigits: UInt64 = 0
    return memory.pointee.recognise(payload, in: store, &withoutDigits)
  }

  /// A number that this intake never gave before, 1 and up; 0 once they have run out, after 2³² − 1.
  ///
  /// A machine tells by it whether a hint speaks of what is still true: a mark belongs to one state of one thing.
  public func nextMark() -> UInt32 { memory.pointee.nextMark() }
}
