import RollcallDoors

/// A resource on its way to a peer.
final class OutgoingResource: @unchecked Sendable {
  private enum Source {
    case file(FileHandle)
    case bytes([UInt8])
  }

  let number: Int
  let peer: PeerKey
  let name: String
  let fileName: String
  let progress: TransferProgress
  private let completion: (((any Error)?) -> Void)?
  /// Where its bytes come from, and how many of them were not read yet; nil until it is open.
  private let inner = Guarded<(source: Source, left: Int)?>(nil)

  init(
    number: Int, peer: PeerKey, name: String, url: URL, _ completion: (((any Error)?) -> Void)?
  ) {
    self.number = number
    self.peer = peer
    self.name = name
    fileName = url.lastPathComponent
    progress = TransferProgress(byteCount: 0)
    self.completion = completion
  }

  /// - Returns: what the device is told of it.
  func open(_ url: URL) throws -> ResourceOffer {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
    guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber else {
      throw CocoaError(.fileReadUnknown)
    }
    return begin(.file(try FileHandle(forReadingFrom: url)), byteCount: size.intValue)
  }

  /// - Returns: what the device is told of it.
  func take(_ bytes: [UInt8]) -> ResourceOffer { begin(.bytes(bytes), byteCount: bytes.count) }

  private func begin(_ source: Source, byteCount: Int) -> ResourceOffer {
    inner.withLock { $0 = (source: source, left: byteCount) }
    progress.begin(byteCount)
    return ResourceOffer(number: number, name: name, fileName: fileName, byteCount: byteCount)
  }

  /// The next bytes, at most as many; nil if all were read.
  /// - Throws: also if the file has fewer than it had at the beginning.
  func read(atMost byteCount: Int) throws -> [UInt8]? {
    try inner.withLock { inner -> [UInt8]? in
      guard let (source, left) = inner, left > 0 else { return nil }
      let count = min(byteCount, left)
      let bytes: [UInt8]
      switch source {
      case .file(let handle): bytes = Array(try handle.read(upToCount: count) ?? Data())
      case .bytes(let all): bytes = Array(all.suffix(left).prefix(count))
      }
      guard !bytes.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
      inner = (source: source, left: left - bytes.count)
      return bytes
    }
  }

  func taken(_ byteCount: Int) { progress.reach(byteCount) }

  /// Once, on the queue of callbacks.
  func finish(_ error: (any Error)?) {
    progress.finish(error == nil)
    completion?(error)
  }
}
