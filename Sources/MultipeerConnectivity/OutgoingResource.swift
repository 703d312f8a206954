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
  private let inner = Guarded<(source: Source?, byteCount: Int, left: Int)>((nil, 0, 0))

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

  var offer: ResourceOffer {
    ResourceOffer(number: number, name: name, fileName: fileName, byteCount: inner.current.byteCount)
  }

  func open(_ url: URL) throws {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
    guard attributes[.type] as? FileAttributeType == .typeRegular else { throw CocoaError(.fileReadUnknown) }
    let handle = try FileHandle(forReadingFrom: url)
    begin(.file(handle), byteCount: (attributes[.size] as? NSNumber)?.intValue ?? 0)
  }

  func take(_ bytes: [UInt8]) { begin(.bytes(bytes), byteCount: bytes.count) }

  private func begin(_ source: Source, byteCount: Int) {
    inner.withLock { $0 = (source, byteCount, byteCount) }
    progress.begin(byteCount)
  }

  var isAtEnd: Bool { inner.withLock { $0.left == 0 } }

  /// The next bytes, at most as many; nil if the file has fewer than it had at the beginning.
  func read(atMost byteCount: Int) throws -> [UInt8]? {
    try inner.withLock { inner in
      let count = min(byteCount, inner.left)
      guard count > 0, let source = inner.source else { return [] }
      let bytes: [UInt8]
      switch source {
      case .file(let handle): bytes = Array(try handle.read(upToCount: count) ?? Data())
      case .bytes(let all): bytes = Array(all[(inner.byteCount - inner.left)...].prefix(count))
      }
      inner.left -= bytes.count
      return bytes.isEmpty ? nil : bytes
    }
  }

  func taken(_ byteCount: Int) { progress.reach(byteCount) }

  /// Once, on the queue of callbacks.
  func finish(_ error: (any Error)?) {
    inner.withLock { $0.source = nil }
    progress.finish(error == nil)
    completion?(error)
  }
}
