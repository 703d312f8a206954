package import RollcallPrimitives

/// The host's side of the protocol in one run: a frame to the engine, and what it answers up to READY.
///
/// What an engine writes is hostile. The first thing that is wrong ends it; from then on it is silent.
package final class EngineLink {
  /// READY among them.
  package static let turnFramesMaximum = 10_000
  package static let turnBytesMaximum = 16 << 20
  package static let runBytesMaximum = 256 << 20
  package static let notesMaximum = 20
  package static let noteCharactersMaximum = 200

  /// When it wants to be woken; `nil`: only if something arrives.
  package private(set) var deadline: Instant?
  /// Why it can go on no more.
  package private(set) var failure: EngineFailure?

  private var channel: (any EngineChannel)?
  /// What it is told first of all, before it was.
  private var hello: HostFrame?
  private var told = ToldEngine()
  /// Services of searches that are not over.
  private var services: [SearchID: [ServiceSighting]] = [:]
  private var notes: [String] = []
  private var errors: [String] = []
  /// What it wrote and was not read yet, from `place` on.
  private var buffer: [UInt8] = []
  private var place = 0
  private var frameCount = 0
  private var byteCount = 0

  /// - Parameter start: starts the process of the engine.
  package init(seed: Seed, duration: Interval, start: () throws(EngineFailure) -> any EngineChannel) {
    hello = .hello(seed: seed, duration: duration)
    do throws(EngineFailure) { channel = try start() } catch { failure = error }
  }

  /// Ends the process, where it is there.
  package func end() -> EngineEnd {
    if let channel {
      try? channel.write(HostFrame.end.bytes)
      errors = channel.end(isKilled: false)
      self.channel = nil
    }
    let shown = notes + (failure == nil || errors.isEmpty ? [] : ["on standard error:"] + errors)
    return EngineEnd(failure: failure.map { "the engine failed: \($0)" }, notes: shown)
  }

  /// Gives it a frame and does what it answers.
  func take(_ frame: HostFrame, into outbox: inout Outbox) {
    if let first = hello {
      hello = nil
      exchange(first, &outbox)
    }
    exchange(frame, &outbox)
  }

  private func exchange(_ frame: HostFrame, _ outbox: inout Outbox) {
    guard let channel else { return }
    told.note(frame)
    do throws(EngineFailure) { deadline = try answer(to: frame, over: channel, &outbox) } catch {
      (failure, deadline) = (error, nil)
      errors = channel.end(isKilled: true)
      self.channel = nil
    }
  }

  /// - Returns: the deadline that READY says.
  private func answer(
    to frame: HostFrame, over channel: any EngineChannel, _ outbox: inout Outbox
  ) throws(EngineFailure) -> Instant? {
    do throws(EngineFailure) { try channel.write(frame.bytes) } catch {
      throw EngineFailure("\(error), where it was given \(EngineLink.words(frame))")
    }
    let lastTurn = (frames: frameCount, bytes: byteCount)
    while true {
      let bytes = try nextFrame(over: channel, frame)
      (frameCount, byteCount) = (frameCount + 1, byteCount + bytes.count)
      if frameCount - lastTurn.frames > EngineLink.turnFramesMaximum {
        throw wrong("expected READY within \(EngineLink.turnFramesMaximum) frames of one turn, found more", frame)
      }
      if byteCount - lastTurn.bytes > EngineLink.turnBytesMaximum || byteCount > EngineLink.runBytesMaximum {
        let bounds = "\(EngineLink.turnBytesMaximum) bytes in one turn and \(EngineLink.runBytesMaximum) in a run"
        throw wrong("expected at most \(bounds), found more", frame)
      }
      let wanted: EngineFrame
      do throws(FrameFault) { wanted = try EngineFrame(bytes, by: told) } catch {
        let name = EngineFrame.name(ofType: bytes[4])
        throw wrong("expected \(error.expected), found \(error.found)", frame, at: error.offset, of: name)
      }
      if case .ready(let deadline) = wanted {
        let rest = buffer.count - place
        if rest == 0 { return deadline }
        throw wrong("expected nothing behind READY, found \(rest) bytes", frame, at: bytes.count, of: "READY")
      }
      perform(wanted, &outbox)
    }
  }

  // MARK: - Frames

  private func nextFrame(over channel: any EngineChannel, _ frame: HostFrame) throws(EngineFailure) -> [UInt8] {
    while true {
      let rest = buffer.count - place
      if rest >= 4 {
        let length = Int(buffer[place..<(place + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        guard (1...EngineFrame.lengthMaximum).contains(length) else {
          frameCount += 1
          throw wrong("expected a length of 1 … \(EngineFrame.lengthMaximum), found \(length)", frame, at: 0)
        }
        if rest >= 4 + length {
          defer { place += 4 + length }
          return Array(buffer[place..<(place + 4 + length)])
        }
      }
      let more: [UInt8]
      do throws(EngineFailure) { more = try channel.read() } catch {
        let part = rest == 0 ? "" : ", \(rest) bytes into frame \(frameCount + 1)"
        throw EngineFailure(
          "\(error)\(part), where READY was expected in answer to \(EngineLink.words(frame)); "
            + "it wrote \(frameCount) frames before")
      }
      buffer.removeFirst(place)
      place = 0
      buffer += more
    }
  }

  /// - Parameters:
  ///   - what: what was expected, and what was found.
  ///   - frame: what it was answering.
  ///   - offset: the byte of its frame that is wrong; `nil`: no one byte is.
  ///   - name: of its frame; `nil`: it has none.
  private func wrong(
    _ what: String, _ frame: HostFrame, at offset: Int? = nil, of name: String? = nil
  ) -> EngineFailure {
    let place = (offset.map { ", byte \($0)" } ?? "") + (name.map { " (\($0))" } ?? "")
    return EngineFailure("its frame \(frameCount)\(place), in answer to \(EngineLink.words(frame)): \(what)")
  }

  private static func words(_ frame: HostFrame) -> String {
    frame.name + (frame.time.map { " at \($0)" } ?? "")
  }

  // MARK: - Wishes

  private func perform(_ wanted: EngineFrame, _ outbox: inout Outbox) {
    switch wanted {
    case .send(let port, let destination, let interface, let hopLimit, let bytes):
      // As a system does: what goes out of an interface that is down, or has no address of the family, is lost.
      guard let change = told.interfaces[interface], change.isUp,
        let source = change.addresses.source(destination.address.family)
      else { return }
      let datagram = RecordedDatagram(
        source: Endpoint(source, port: port), destination: destination, interface: interface, hopLimit: hopLimit,
        bytes: bytes)
      outbox.transmit(datagram.datagram(in: outbox.payloads))
    case .join(let group, let interface):
      if told.interfaces[interface]?.isUp == true { outbox.join(group, on: interface) }
    case .leave(let group, let interface):
      if told.interfaces[interface]?.isUp == true { outbox.leave(group, on: interface) }
    case .found(let sighting): outbox.report(.found(sighting))
    case .changed(let sighting, let change): outbox.report(.changed(sighting, change))
    case .lost(let device, let cause): outbox.report(.lost(device: device, cause: cause))
    case .service(let service):
      services[service.search, default: []].append(service)
      outbox.report(.service(service))
    case .searchEnded(let search, let wasStopped):
      let heard = services.removeValue(forKey: search) ?? []
      outbox.report(
        .searchEnded(
          SearchOutcome(
            search: search, target: told.searches[search] ?? "", services: heard, wasStopped: wasStopped)))
    case .failed(let failure): outbox.report(.failed(failure))
    case .note(let text):
      let lines = text.split(whereSeparator: \.isNewline).suffix(EngineLink.notesMaximum)
      notes += lines.map { String($0.prefix(EngineLink.noteCharactersMaximum)) }
      notes = Array(notes.suffix(EngineLink.notesMaximum))
    case .ready: break
    }
  }
}
