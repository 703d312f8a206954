import RollcallDoors

/// What is behind one browser view controller: the rows of its screen, and the rules of its buttons.
final class BrowserViewCore: NearbyDoor, @unchecked Sendable {
  private struct Row {
    var peer: MCPeerID
    var info: [String: String]?
    var state: BrowserScreen.RowState
  }

  private struct Memory {
    var rows: [Row] = []
    var minimum = kMCSessionMinimumNumberOfPeers
    var maximum = kMCSessionMaximumNumberOfPeers
    var isShown = false
    /// The person has pressed a button, and the application has not dismissed the screen yet.
    var isOver = false
  }

  static let allowed = kMCSessionMinimumNumberOfPeers...kMCSessionMaximumNumberOfPeers

  let link = ObjectLink()
  let browser: MCNearbyServiceBrowser
  let session: MCSession
  private let memory = Guarded(Memory())
  /// Set once, by the initialiser of the controller.
  weak var controller: MCBrowserViewController?

  init(_ browser: MCNearbyServiceBrowser, _ session: MCSession) {
    self.browser = browser
    self.session = session
  }

  func begin(in call: String) {
    session.core.watch(self)
    link.begin(self, as: .browserView(session.myPeerID.key), in: call)
  }

  func end() {
    if memory.withLock({ $0.isShown }) { browser.stopBrowsingForPeers() }
    link.end()
  }

  // MARK: Limits

  var limits: (minimum: Int, maximum: Int) { memory.withLock { ($0.minimum, $0.maximum) } }

  func setMinimum(_ number: Int) {
    memory.withLock { $0.minimum = Self.clamped(number) }
    refresh()
  }

  func setMaximum(_ number: Int) {
    memory.withLock { $0.maximum = Self.clamped(number) }
    refresh()
  }

  private static func clamped(_ number: Int) -> Int { min(max(number, allowed.lowerBound), allowed.upperBound) }

  // MARK: The screen

  func appear() {
    let isNew = memory.withLock { memory in
      guard !memory.isShown else { return false }
      memory.isShown = true
      memory.isOver = false
      memory.rows = []
      return true
    }
    guard isNew else { return }
    browser.startBrowsingForPeers()
    refresh()
  }

  func disappear() {
    let wasShown = memory.withLock { memory in
      defer { memory.isShown = false }
      return memory.isShown
    }
    guard wasShown else { return }
    browser.stopBrowsingForPeers()
    link.request(.browserView(.dismiss))
  }

  private func refresh() {
    guard memory.withLock({ $0.isShown }) else { return }
    link.request(.browserView(.present(screen)))
  }

  /// The local peer counts.
  private var screen: BrowserScreen {
    let connected = session.core.connectedPeers
    return memory.withLock { memory in
      let invited = memory.rows.filter { $0.state == .invited && !connected.contains($0.peer) }
      let rows = memory.rows.map { row in
        BrowserScreen.Row(peer: row.peer.key, info: InfoPair.list(row.info), state: row.state)
      }
      return BrowserScreen(
        rows: rows, isDoneEnabled: connected.count + 1 >= memory.minimum && !memory.isOver,
        canInvite: connected.count + invited.count + 1 < memory.maximum && !memory.isOver)
    }
  }

  // MARK: Peers

  /// From any thread: a browser of the application's own may call it.
  func found(_ peer: MCPeerID, _ info: [String: String]?) {
    let found = Carried((peer, info))
    link.run { [self] in
      guard let controller, memory.withLock({ $0.isShown }) else { return }
      let (peer, info) = found.value
      let isShown =
        controller.delegate?.browserViewController(
          controller, shouldPresentNearbyPeer: peer, withDiscoveryInfo: info) ?? true
      let state: BrowserScreen.RowState = session.core.isConnected(peer.key) ? .connected : .found
      memory.withLock { memory in
        let index = memory.rows.firstIndex { $0.peer == peer }
        if let index, isShown {
          memory.rows[index].info = info
        } else if let index {
          memory.rows.remove(at: index)
        } else if isShown {
          memory.rows.append(Row(peer: peer, info: info, state: state))
        }
      }
      refresh()
    }
  }

  func lost(_ peer: MCPeerID) {
    let lost = Carried(peer)
    link.run { [self] in
      memory.withLock { memory in memory.rows.removeAll { $0.peer == lost.value } }
      refresh()
    }
  }

  /// On the queue of callbacks: what the session has told of a peer.
  func changed(_ peer: MCPeerID, _ state: MCSessionState) {
    memory.withLock { memory in
      guard let index = memory.rows.firstIndex(where: { $0.peer == peer }) else { return }
      switch state {
      case .connected: memory.rows[index].state = .connected
      case .connecting: memory.rows[index].state = .invited
      case .notConnected: memory.rows[index].state = memory.rows[index].state == .connected ? .found : .declined
      }
    }
    refresh()
  }

  // MARK: The person

  func push(_ event: NearbyEvent) {
    guard case .browserView(let event) = event else { return }
    link.run { [self] in
      if let controller { handle(event, for: controller) }
    }
  }

  private func handle(_ event: BrowserViewEvent, for controller: MCBrowserViewController) {
    let screen = screen
    guard memory.withLock({ $0.isShown && !$0.isOver }) else { return }
    switch event {
    case .selected(let peer):
      guard screen.canInvite else { return }
      let selected = memory.withLock { memory -> MCPeerID? in
        let index = memory.rows.firstIndex { row in
          row.peer.key.identity == peer.identity && (row.state == .found || row.state == .declined)
        }
        guard let index else { return nil }
        memory.rows[index].state = .invited
        return memory.rows[index].peer
      }
      guard let selected else { return }
      browser.invitePeer(selected, to: session, withContext: nil, timeout: PeerRules.standardTimeoutSeconds)
      refresh()
    case .done:
      guard screen.isDoneEnabled else { return }
      memory.withLock { $0.isOver = true }
      controller.delegate?.browserViewControllerDidFinish(controller)
    case .cancelled:
      memory.withLock { $0.isOver = true }
      controller.delegate?.browserViewControllerWasCancelled(controller)
    }
  }
}
