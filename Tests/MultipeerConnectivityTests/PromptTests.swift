import MultipeerConnectivity
import RollcallDoors
import RollcallExpectations
import Testing

@Suite struct AssistantTests {
  private struct Stage {
    let device = ScriptedDevice()
    let recorder = Recorder()
    let session: MCSession
    let assistant: MCAdvertiserAssistant

    init() {
      let device = device
      (session, assistant) = on(device) {
        let session = MCSession(peer: MCPeerID(displayName: "me"))
        return (session, MCAdvertiserAssistant(serviceType: "abc", discoveryInfo: ["k": "v"], session: session))
      }
      assistant.delegate = recorder
      assistant.start()
      device.forgetRequests()
    }

    func invite(_ numbers: Int...) {
      for number in numbers {
        device.push(
          .advertiser(.invited(run: 1, invitation: 10 + number, from: .other(UInt8(number)), context: [1])))
      }
    }
  }

  @Test func `an assistant says what it was made with, advertises, and stops`() {
    let stage = Stage()
    #expect(stage.assistant.session === stage.session)
    expectEqual(stage.assistant.serviceType, "abc")
    expectEqual(stage.assistant.discoveryInfo, ["k": "v"])
    stage.assistant.stop()
    stage.assistant.start()
    stage.device.settle()
    expectEqual(stage.device.requests, [.advertiser(.stop(run: 1)), .advertiser(.start(run: 2))])
    expectEqual(stage.recorder.lines, [])
  }

  @Test func `invitations are shown one after the other, and each showing ends before the next begins`() {
    let stage = Stage()
    stage.invite(1, 2, 3)
    expectEqual(stage.device.requests, [.assistant(.present(1, from: .other(1), context: [1]))])
    expectEqual(stage.recorder.lines, ["present"])
    // Only the one that is shown can be answered, once.
    stage.device.push(.assistant(.answered(2, accepts: true)), .assistant(.answered(3, accepts: false)))
    stage.device.push(.assistant(.answered(1, accepts: true)), .assistant(.answered(1, accepts: false)))
    expectEqual(stage.recorder.lines, ["present", "dismiss", "present"])
    stage.device.push(.assistant(.answered(2, accepts: false)))
    expectEqual(stage.recorder.lines, ["present", "dismiss", "present", "dismiss", "present"])
    expectEqual(
      stage.device.requests.dropFirst(),
      [
        .advertiser(.answer(invitation: 11, session: NearbyNumber(1))),
        .assistant(.present(2, from: .other(2), context: [1])),
        .advertiser(.answer(invitation: 12, session: nil)),
        .assistant(.present(3, from: .other(3), context: [1])),
      ])
    #expect(stage.device.misuses.isEmpty)
  }

  @Test func `an invitation that nobody answers stays until the device takes it back`() {
    let stage = Stage()
    stage.invite(1)
    expectEqual(stage.recorder.lines, ["present"])
    stage.device.push(.assistant(.withdrawn(7)), .assistant(.withdrawn(1)))
    expectEqual(stage.recorder.lines, ["present", "dismiss"])
    expectEqual(stage.device.requests.last, .assistant(.dismiss(1)))
    expectEqual(stage.device.requests.count, 2)
  }

  @Test func `an assistant that stops declines what waits, and dismisses what is shown`() {
    let stage = Stage()
    stage.invite(1, 2)
    stage.assistant.stop()
    stage.device.settle()
    expectEqual(stage.recorder.lines, ["present", "dismiss"])
    expectEqual(
      stage.device.requests.dropFirst(),
      [
        .advertiser(.answer(invitation: 11, session: nil)), .advertiser(.answer(invitation: 12, session: nil)),
        .advertiser(.stop(run: 1)), .assistant(.dismiss(1)),
      ])
    expectEqual(stage.device.misuses, [])
  }

  @Test func `an assistant that its delegate stops before an invitation is shown shows none`() {
    let stage = Stage()
    nonisolated(unsafe) let assistant = stage.assistant
    stage.recorder.react { if $0 == "present" { assistant.stop() } }
    stage.invite(1)
    expectEqual(stage.recorder.lines, ["present", "dismiss"])
    #expect(!stage.device.requests.contains(.assistant(.present(1, from: .other(1), context: [1]))))
  }

  @Test func `a delegate with the older spelling is told in it, and the newer one comes first`() {
    final class Older: MCAdvertiserAssistantDelegate, @unchecked Sendable {
      let told = Guarded(0)
      func advertiserAssitantWillPresentInvitation(_ advertiserAssistant: MCAdvertiserAssistant) {
        told.withLock { $0 += 1 }
      }
    }
    final class Both: MCAdvertiserAssistantDelegate, @unchecked Sendable {
      let told = Guarded<[String]>([])
      func advertiserAssistantWillPresentInvitation(_ advertiserAssistant: MCAdvertiserAssistant) {
        told.withLock { $0.append("newer") }
      }
      func advertiserAssitantWillPresentInvitation(_ advertiserAssistant: MCAdvertiserAssistant) {
        told.withLock { $0.append("older") }
      }
    }
    let stage = Stage()
    let (older, both) = (Older(), Both())
    stage.assistant.delegate = older
    stage.invite(1)
    stage.device.push(.assistant(.answered(1, accepts: false)))
    stage.assistant.delegate = both
    stage.invite(2)
    expectEqual(older.told.current, 1)
    expectEqual(both.told.current, ["newer"])
  }
}

@Suite struct BrowserViewTests {
  private struct Stage {
    let device: ScriptedDevice
    let recorder = Recorder()
    let session: MCSession
    let controller: MCBrowserViewController

    init(shows: Bool = true) {
      let device = ScriptedDevice()
      self.device = device
      (session, controller) = on(device) {
        let session = MCSession(peer: MCPeerID(displayName: "me"))
        return (session, MCBrowserViewController(serviceType: "abc", session: session))
      }
      controller.delegate = recorder
      if shows { controller.viewWillAppear(true) }
    }

    /// What the person sees.
    var screen: BrowserScreen? {
      for case .browserView(let request) in device.requests.reversed() {
        if case .present(let screen) = request { return screen }
        return nil
      }
      return nil
    }

    var invitations: [PeerKey] {
      device.requests.compactMap { request in
        if case .browser(.invite(let invitation)) = request { invitation.peer } else { nil }
      }
    }

    func find(_ numbers: Int...) {
      for number in numbers { device.push(.browser(.found(run: 1, .other(UInt8(number)), nil))) }
    }
  }

  @Test func `limits are 2 and 8 to begin with, and stay within them`() {
    let controller = Stage(shows: false).controller
    expectEqual(controller.minimumNumberOfPeers, 2)
    expectEqual(controller.maximumNumberOfPeers, 8)
    for (given, taken) in [(1, 2), (-5, 2), (2, 2), (5, 5), (8, 8), (9, 8), (.max, 8), (.min, 2)] {
      controller.minimumNumberOfPeers = given
      controller.maximumNumberOfPeers = given
      expectEqual(controller.minimumNumberOfPeers, taken)
      expectEqual(controller.maximumNumberOfPeers, taken)
    }
  }

  @Test func `it browses while it is shown, and leaves dismissing to the application`() throws {
    let stage = Stage(shows: false)
    expectEqual(stage.device.requests, [])
    let browser = try #require(stage.controller.browser)
    expectEqual(browser.serviceType, "abc")
    #expect(stage.controller.session === stage.session)
    stage.controller.viewWillAppear(false)
    stage.controller.viewWillAppear(false)
    let empty = BrowserScreen(rows: [], isDoneEnabled: false, canInvite: true)
    stage.device.push(.browserView(.cancelled), .browserView(.cancelled), .browserView(.done))
    expectEqual(stage.recorder.lines, ["cancel"])
    expectEqual(stage.device.requests, [.browser(.start(run: 1)), .browserView(.present(empty))])
    let isCompleted = Guarded(false)
    stage.controller.dismiss(animated: true) { isCompleted.withLock { $0 = true } }
    #expect(isCompleted.current)
    expectEqual(stage.device.requests.dropFirst(2), [.browser(.stop(run: 1)), .browserView(.dismiss)])
  }

  @Test func `rows are the peers that the delegate lets through, in the order of their discovery`() {
    let stage = Stage()
    stage.recorder.show { $0.displayName != "peer 2" }
    stage.find(3, 2, 1, 3)
    expectEqual(stage.screen?.rows.map(\.peer), [.other(3), .other(1)])
    stage.device.push(.browser(.lost(run: 1, .other(3))))
    expectEqual(stage.screen?.rows.map(\.peer), [.other(1)])
    stage.device.push(.browserView(.selected(.other(2))))
    expectEqual(stage.invitations, [])
    // A delegate that is not asked lets all through.
    final class Unasked: MCBrowserViewControllerDelegate {
      func browserViewControllerDidFinish(_ browserViewController: MCBrowserViewController) {}
      func browserViewControllerWasCancelled(_ browserViewController: MCBrowserViewController) {}
    }
    let unasked = Unasked()
    stage.controller.delegate = unasked
    stage.find(2)
    expectEqual(stage.screen?.rows.map(\.peer), [.other(1), .other(2)])
    withExtendedLifetime(unasked) {}
  }

  @Test func `a selected peer is invited once, for 30 seconds, and can be again after it declined`() {
    let stage = Stage()
    stage.find(1)
    stage.device.push(.browserView(.selected(.other(1))), .browserView(.selected(.other(1))))
    expectEqual(
      stage.device.requests.filter { if case .browser(.invite) = $0 { true } else { false } },
      [
        .browser(
          .invite(
            Invitation(
              peer: .other(1), session: NearbyNumber(1), context: nil, timeoutNanoseconds: 30_000_000_000)))
      ])
    expectEqual(stage.screen?.rows.map(\.state), [.invited])
    stage.device.push(.state(.other(1), .notConnected))
    expectEqual(stage.screen?.rows.map(\.state), [.declined])
    stage.device.push(.browserView(.selected(.other(1))))
    stage.device.push(.state(.other(1), .connecting), .state(.other(1), .connected))
    expectEqual(stage.screen?.rows.map(\.state), [.connected])
    stage.device.push(.browserView(.selected(.other(1))))
    expectEqual(stage.invitations.count, 2)
  }

  @Test func `Done is there with the minimum of peers, the local one included`() {
    let stage = Stage()
    stage.controller.minimumNumberOfPeers = 3
    stage.find(1, 2)
    stage.device.push(.state(.other(1), .connected))
    stage.device.push(.browserView(.done))
    expectEqual(stage.screen?.isDoneEnabled, false)
    expectEqual(stage.recorder.lines, [])
    stage.device.push(.state(.other(2), .connected))
    expectEqual(stage.screen?.isDoneEnabled, true)
    stage.device.push(.browserView(.done))
    expectEqual(stage.recorder.lines, ["finish"])
  }

  @Test func `nobody is invited beyond the maximum, those who were not answered yet included`() {
    let stage = Stage()
    stage.controller.maximumNumberOfPeers = 3
    stage.find(1, 2, 3)
    stage.device.push(.state(.other(1), .connected))
    expectEqual(stage.screen?.canInvite, true)
    stage.device.push(.browserView(.selected(.other(2))))
    expectEqual(stage.screen?.canInvite, false)
    stage.device.push(.browserView(.selected(.other(3))))
    expectEqual(stage.invitations, [.other(2)])
    stage.device.push(.state(.other(2), .notConnected))
    stage.device.push(.browserView(.selected(.other(3))))
    expectEqual(stage.invitations, [.other(2), .other(3)])
  }

  @Test func `the browser must be idle and without a delegate`() async {
    let bench = Bench()
    expectEqual(PeerRules.fault(browser: bench.browser), .browserIsBusy)
    bench.browser.delegate = nil
    expectEqual(PeerRules.fault(browser: bench.browser), nil)
    bench.browser.startBrowsingForPeers()
    expectEqual(PeerRules.fault(browser: bench.browser), .browserIsBusy)
    bench.browser.stopBrowsingForPeers()
    expectEqual(PeerRules.fault(browser: bench.browser), nil)
    await #expect(processExitsWith: .failure) {
      let bench = Bench()
      _ = MCBrowserViewController(browser: bench.browser, session: bench.session)
    }
  }

  @Test func `a browser of the application's own may call the methods of its delegate`() {
    final class Finder: MCNearbyServiceBrowser {
      var starts = 0
      override func startBrowsingForPeers() {
        starts += 1
        delegate?.browser(self, foundPeer: .of(.other(5)), withDiscoveryInfo: ["k": "v"])
        delegate?.browser(self, foundPeer: .of(.other(6)), withDiscoveryInfo: nil)
        delegate?.browser(self, lostPeer: .of(.other(6)))
      }
      override func stopBrowsingForPeers() { starts -= 1 }
    }
    let device = ScriptedDevice()
    let (finder, controller) = on(device) {
      let session = MCSession(peer: MCPeerID(displayName: "me"))
      let finder = Finder(peer: session.myPeerID, serviceType: "abc")
      return (finder, MCBrowserViewController(browser: finder, session: session))
    }
    #expect(finder.delegate === controller)
    controller.viewWillAppear(false)
    expectEqual(finder.starts, 1)
    device.settle()
    let row = BrowserScreen.Row(peer: .other(5), info: [InfoPair(key: "k", value: "v")], state: .found)
    expectEqual(
      device.requests.last,
      .browserView(.present(BrowserScreen(rows: [row], isDoneEnabled: false, canInvite: true))))
    controller.viewDidDisappear(false)
    expectEqual(finder.starts, 0)
  }

  @Test func `a screen on which a button was pressed offers nothing more, and one that comes up again begins anew`() {
    let stage = Stage()
    stage.find(1)
    stage.device.push(.state(.other(1), .connected))
    expectEqual(stage.screen?.isDoneEnabled, true)
    stage.device.push(.browserView(.cancelled))
    stage.find(2)
    expectEqual(stage.screen?.isDoneEnabled, false)
    expectEqual(stage.screen?.canInvite, false)
    stage.device.push(.browserView(.selected(.other(2))))
    expectEqual(stage.invitations, [])
    for _ in 0..<2 { stage.controller.viewDidDisappear(false) }
    expectEqual(stage.device.requests.filter { $0 == .browserView(.dismiss) }.count, 1)
    expectEqual(stage.device.requests.filter { $0 == .browser(.stop(run: 1)) }.count, 1)
    stage.device.push(.browserView(.done))
    expectEqual(stage.recorder.lines, ["cancel"])
    stage.controller.viewWillAppear(false)
    expectEqual(stage.screen, BrowserScreen(rows: [], isDoneEnabled: true, canInvite: true))
    stage.device.push(.browser(.found(run: 2, .other(2), nil)))
    stage.device.push(.browserView(.selected(.other(2))))
    expectEqual(stage.invitations, [.other(2)])
    stage.device.push(.browserView(.cancelled))
    expectEqual(stage.recorder.lines, ["cancel", "cancel"])
  }

  @Test func `a row says what becomes of its peer, and goes when the delegate hides it`() {
    let stage = Stage()
    func rows() -> [String] {
      (stage.screen?.rows ?? []).map { row in "\(row.peer.name) \(row.state) \(row.info?.count ?? 0)" }
    }
    stage.device.push(.state(.other(1), .connected))
    stage.find(1, 2)
    expectEqual(rows(), ["peer 1 connected 0", "peer 2 found 0"])
    // A peer that is in is not invited.
    stage.device.push(.browserView(.selected(.other(1))))
    expectEqual(stage.invitations, [])
    // One that comes by itself is shown as one that was invited, with what it says of itself now.
    stage.device.push(.state(.other(2), .connecting))
    expectEqual(rows(), ["peer 1 connected 0", "peer 2 invited 0"])
    stage.device.push(.browser(.found(run: 1, .other(2), [InfoPair(key: "k", value: "v")])))
    expectEqual(rows(), ["peer 1 connected 0", "peer 2 invited 1"])
    stage.device.push(.state(.other(2), .connected))
    stage.device.push(.state(.other(2), .notConnected))
    expectEqual(rows(), ["peer 1 connected 0", "peer 2 found 1"])
    stage.recorder.show { $0.displayName != "peer 1" }
    stage.find(1)
    expectEqual(rows(), ["peer 2 found 1"])
  }

  @Test func `two screens of one session have limits of their own, which change them at once`() {
    let stage = Stage()
    var second: MCBrowserViewController? = on(stage.device) {
      MCBrowserViewController(serviceType: "abc", session: stage.session)
    }
    second?.viewWillAppear(true)
    func screens() -> [BrowserScreen] {
      defer { stage.device.forgetRequests() }
      return stage.device.requests.compactMap { request in
        if case .browserView(.present(let screen)) = request { screen } else { nil }
      }
    }
    _ = screens()
    stage.device.push(.state(.other(1), .connected))
    let told = screens()
    let open = BrowserScreen(rows: [], isDoneEnabled: true, canInvite: true)
    // Connecting, and connected.
    expectEqual(told.count, 4)
    expectEqual(Array(told.suffix(2)), [open, open])
    second?.minimumNumberOfPeers = 3
    expectEqual(screens(), [BrowserScreen(rows: [], isDoneEnabled: false, canInvite: true)])
    stage.controller.maximumNumberOfPeers = 2
    expectEqual(screens(), [BrowserScreen(rows: [], isDoneEnabled: true, canInvite: false)])
    // One that is gone while it is shown browses no more.
    second = nil
    stage.device.settle()
    expectEqual(stage.device.requests, [.browser(.stop(run: 1))])
  }
}
