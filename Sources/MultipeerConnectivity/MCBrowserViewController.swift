public import Foundation

/// Shows nearby peers to a person, who selects those to invite. There is no UIKit on Linux: this is an object without a
/// view, and the person is the one of the device's script. `viewWillAppear(_:)` and `viewDidDisappear(_:)` are what
/// UIKit calls on Apple's systems; here the application calls them, or `dismiss(animated:completion:)`.
open class MCBrowserViewController: NSObject, MCNearbyServiceBrowserDelegate {
  let core: BrowserViewCore

  /// An invalid service type ends the program, as an exception of Apple's does.
  public convenience init(serviceType: String, session: MCSession) {
    self.init(
      browser: MCNearbyServiceBrowser(peer: session.myPeerID, serviceType: serviceType), session: session)
  }

  /// The browser must not be browsing, nor have a delegate; else the program ends. `PeerRules.fault(browser:)` asks
  /// without that.
  public init(browser: MCNearbyServiceBrowser, session: MCSession) {
    let call = "MCBrowserViewController.init(browser:session:)"
    PeerRules.require(PeerRules.fault(browser: browser), in: call)
    core = BrowserViewCore(browser, session)
    super.init()
    core.controller = self
    browser.delegate = self
    core.begin(in: call)
  }

  deinit { core.end() }

  open weak var delegate: (any MCBrowserViewControllerDelegate)?

  open var browser: MCNearbyServiceBrowser? { core.browser }
  open var session: MCSession { core.session }

  /// With the local peer; at least 2, and at most 8.
  open var minimumNumberOfPeers: Int {
    get { core.limits.minimum }
    set { core.setMinimum(newValue) }
  }

  /// With the local peer; at least 2, and at most 8.
  open var maximumNumberOfPeers: Int {
    get { core.limits.maximum }
    set { core.setMaximum(newValue) }
  }

  // MARK: What UIKit does on Apple's systems

  /// Begins to browse, and shows the screen to the person.
  open func viewWillAppear(_ animated: Bool) { core.appear() }

  /// Ends browsing. Peers that are connected stay so.
  open func viewDidDisappear(_ animated: Bool) { core.disappear() }

  open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
    viewDidDisappear(flag)
    completion?()
  }

  // MARK: MCNearbyServiceBrowserDelegate

  open func browser(
    _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
  ) {
    core.found(peerID, info)
  }

  open func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) { core.lost(peerID) }

  /// Nothing is shown.
  open func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error) {}
}

extension PeerRules {
  package static func fault(browser: MCNearbyServiceBrowser) -> Fault? {
    browser.delegate == nil && !browser.core.isBrowsing ? nil : .browserIsBusy
  }
}
