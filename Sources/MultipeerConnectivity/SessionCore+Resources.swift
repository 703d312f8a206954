import Foundation
import RollcallDoors

// Resources in both directions. The sender reads the file, or has the device fetch it, and the receiver writes one.
extension SessionCore {
  /// How many bytes of a file are read and sent in one request.
  private static let partBytes = 65_536

  func sendResource(
    at url: URL, name: String, to peer: MCPeerID, _ completion: (((any Error)?) -> Void)?
  ) -> Progress {
    let resource = OutgoingResource(
      number: memory.withLock { $0.nextNumber() }, peer: peer.key, name: name, url: url, completion)
    memory.withLock { $0.outgoing.append(resource) }
    let number = resource.number
    resource.progress.whenCancelled { [weak self] in self?.cancelOutgoing(number) }
    begin(resource, url)
    return resource.progress
  }

  private func begin(_ resource: OutgoingResource, _ url: URL) {
    let number = resource.number
    let scheme = url.scheme?.lowercased()
    guard url.isFileURL || scheme == "http" || scheme == "https" else {
      return failLater(number, MCError(.unsupported))
    }
    guard isConnected(resource.peer), let device = link.device else {
      return failLater(number, MCError(.notConnected))
    }
    guard url.isFileURL else {
      device.queues.heardCall()
      return device.fetch(url) { [weak self] result in
        guard let self else { return }
        link.run { [self] in fetched(number, result) }
      }
    }
    do {
      let offer = try resource.open(url)
      link.request(.session(.startResource(offer, to: resource.peer)))
    } catch {
      failLater(number, error)
    }
  }

  /// The peer may have gone meanwhile; then the resource is over already.
  private func fetched(_ number: Int, _ result: Result<[UInt8], any Error>) {
    guard let resource = outgoing(number) else { return }
    switch result {
    case .success(let bytes):
      link.request(.session(.startResource(resource.take(bytes), to: resource.peer)))
    case .failure(let error): finishOutgoing(number, error)
    }
  }

  private func failLater(_ number: Int, _ error: any Error) {
    link.answer { [self] in finishOutgoing(number, error) }
  }

  func outgoing(_ number: Int) -> OutgoingResource? {
    memory.withLock { $0.outgoing.first { $0.number == number } }
  }

  func wanted(_ number: Int, _ byteCount: Int) {
    guard let resource = outgoing(number), !resource.progress.isCancelled else { return }
    var left = byteCount
    do {
      while left > 0, let bytes = try resource.read(atMost: min(left, Self.partBytes)) {
        left -= bytes.count
        link.request(.session(.resourceBytes(number, bytes)))
      }
    } catch {
      link.request(.session(.cancelResource(number)))
      finishOutgoing(number, error)
    }
  }

  private func cancelOutgoing(_ number: Int) {
    guard outgoing(number) != nil else { return }
    link.request(.session(.cancelResource(number)))
    failLater(number, MCError(.cancelled))
  }

  /// On the queue of callbacks.
  func finishOutgoing(_ number: Int, _ error: (any Error)?) {
    let resource = memory.withLock { memory -> OutgoingResource? in
      guard let index = memory.outgoing.firstIndex(where: { $0.number == number }) else { return nil }
      return memory.outgoing.remove(at: index)
    }
    // A success that comes after the application cancelled does not count.
    if let resource { resource.finish(resource.progress.isCancelled ? MCError(.cancelled) : error) }
  }

  // MARK: From the other side

  private func incoming(_ number: Int) -> IncomingResource? {
    memory.withLock { $0.incoming.first { $0.number == number } }
  }

  func offered(_ offer: ResourceOffer, _ peer: PeerKey, _ session: MCSession) {
    guard let member = member(peer), incoming(offer.number) == nil else {
      link.request(.session(.cancelIncomingResource(offer.number)))
      return
    }
    do {
      let resource = try IncomingResource(offer, from: member)
      memory.withLock { $0.incoming.append(resource) }
      let number = offer.number
      resource.progress.whenCancelled { [weak self] in self?.cancelIncoming(number) }
      session.delegate?.session(
        session, didStartReceivingResourceWithName: offer.name, fromPeer: member, with: resource.progress)
    } catch {
      // The file cannot be made.
      link.request(.session(.cancelIncomingResource(offer.number)))
      session.delegate?.session(
        session, didStartReceivingResourceWithName: offer.name, fromPeer: member, with: TransferProgress(byteCount: 0))
      session.delegate?.session(
        session, didFinishReceivingResourceWithName: offer.name, fromPeer: member, at: nil, withError: error)
    }
  }

  func received(_ number: Int, _ bytes: [UInt8], _ session: MCSession) {
    guard let resource = incoming(number) else { return }
    do { try resource.write(bytes) } catch {
      link.request(.session(.cancelIncomingResource(number)))
      finishIncoming(number, error, session)
    }
  }

  private func cancelIncoming(_ number: Int) {
    guard incoming(number) != nil else { return }
    link.request(.session(.cancelIncomingResource(number)))
    link.run { [self] in finishIncoming(number, MCError(.cancelled), session) }
  }

  func finishIncoming(_ number: Int, _ error: (any Error)?, _ session: MCSession?) {
    let resource = memory.withLock { memory -> IncomingResource? in
      guard let index = memory.incoming.firstIndex(where: { $0.number == number }) else { return nil }
      return memory.incoming.remove(at: index)
    }
    guard let resource else { return }
    // Less than was announced is no success, whatever the device says.
    let outcome = error ?? (resource.isComplete ? nil : MCError(.unknown))
    let error = resource.progress.isCancelled ? MCError(.cancelled) : outcome
    resource.progress.finish(error == nil)
    // The file goes with the resource, which the callback must not outlive.
    withExtendedLifetime(resource) {
      if let session {
        session.delegate?.session(
          session, didFinishReceivingResourceWithName: resource.name, fromPeer: resource.peer,
          at: error == nil ? resource.file : nil, withError: error)
      }
    }
  }
}
