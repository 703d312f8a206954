import Foundation
import RollcallExpectations
import Testing

/// `rollcall replay --devices`: what an application could have used, of a customer's capture.
@Suite("Devices of a capture for an application", .enabled(if: ToolRun.isBuilt))
struct ReplayedDevicesTests {
  private static let capture = "Captures/miniupnpd-upnpc-and-byebye/capture.pcapng"

  @Test("each is shown with its name, its services and what it could do, as the descriptions of the capture say")
  func table() throws {
    let run = try ToolRun(["replay", Self.capture, "--devices", "--time", "relative"], in: Places.root)
    expectEqual(run.exitCode, 0)
    expectEqual(
      run.text,
      """
      Captures/miniupnpd-upnpc-and-byebye/capture.pcapng
        +0.000  frame 2       device c946451f-452a-4729-9c6e-aecaad0af70c found at 192.168.77.1 with Gateway
        +6.054  frame 42      device Router updated at 192.168.77.1 with Gateway
        +8.064  frame 67      device Router lost
        1 devices for an application, 0 present
        83 frames; messages: 26 notify-alive, 13 notify-byebye, 1 search, 1 response
        1 devices, 0 present, 0 open leases

      """)
  }

  @Test("what is there at the end stands in a table")
  func present() throws {
    try Places.withTemporaryFolder { folder in
      let file = folder.appendingPathComponent("evening.pcapng").path
      let evening = try ToolRun(
        ["run", "Scenarios/manager/stick-and-renderer.yaml", "--pcapng", file, "--quiet"], in: Places.root)
      expectEqual(evening.exitCode, 0)
      let run = try ToolRun(["replay", file, "--devices"], in: Places.root, environment: ["COLUMNS": "120"])
      let rows = run.text.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0[0].hasPrefix("uuid:") }
      // No description is in it: the names are those of the network.
      expectEqual(
        rows.map { "\($0[1]) \($0[4])" }, ["192.168.1.42 DIAL,", "192.168.1.183 Gateway", "192.168.1.214 DLNA"])
    }
  }

  @Test("in JSON they are reports of the layer manager, beside all others")
  func json() throws {
    let run = try ToolRun(["replay", Self.capture, "--devices", "--format", "json"], in: Places.root)
    let lines = run.text.split(separator: "\n").filter { $0.contains("\"layer\":\"manager\"") }
    #expect(!lines.isEmpty && lines.allSatisfy { $0.contains("\"managed\":{") })
  }

  @Test("a story and a table are two reports")
  func clash() throws {
    let run = try ToolRun(["replay", Self.capture, "--devices", "--explain"], in: Places.root)
    expectEqual(run.exitCode, 2)
    #expect(run.errors.contains("--devices and --explain are two reports: ask for one of them"))
  }
}
