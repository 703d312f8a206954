import NIOCore
import NIOPosix
import RollcallExpectations
import Testing

@testable import RollcallLive

@Suite("A socket to a controller of HCI") struct HCIOutletTests {
  private struct Missing: Error {}

  @Test("a controller that takes no more is gone for its host, which is told why")
  func full() throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    defer { try? group.syncShutdownGracefully() }
    let loop = group.next()
    let controller = try ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).wait()
    let port = try #require(controller.localAddress?.port)
    let (connected, closed) = (loop.makePromise(of: Void.self), loop.makePromise(of: String.self))
    let outlet = HCIOutlet(loop: loop) { event in
      switch event {
      case .connected: connected.succeed(())
      case .bytes: break
      case .closed(let reason): closed.succeed(reason)
      }
    }
    // Only where it is never told.
    let alarm = loop.scheduleTask(in: .seconds(20)) {
      connected.fail(Missing())
      closed.fail(Missing())
    }
    outlet.open(.tcp(host: "127.0.0.1", port: port))
    try connected.futureResult.wait()
    try loop.submit { outlet.send([UInt8](repeating: 0, count: HCISockets.pendingBytesMaximum + 1)) }.wait()
    try expectEqual(closed.futureResult.wait(), "the controller takes no more")
    alarm.cancel()
  }
}
