import RollcallCapture
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

/// A network namespace of the test's own, with its loopback interface up; it ends with the test.
final class Namespace {
  let name = "rollcall-\(ProcessInfo.processInfo.processIdentifier)"
  private static let ip = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// `nil` where the system lets nobody make one, and says so.
  init?() {
    guard Namespace.run(["netns", "add", name]), Namespace.run(["-n", name, "link", "set", "lo", "up"]) else {
      print("skipped: recording from a live interface: no network namespace can be made here")
      return nil
    }
  }

  deinit { _ = Namespace.run(["netns", "delete", name]) }

  static func run(_ arguments: [String]) -> Bool {
    guard let ip else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ip)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  #if os(Linux)
    /// Runs `body` on a thread that has moved into the namespace; false where it may not move.
    func inside(_ body: @escaping @Sendable () -> Void) -> Bool {
      typealias Move = @convention(c) (CInt, CInt) -> CInt
      guard let symbol = dlsym(nil, "setns") else { return false }
      let move = unsafeBitCast(symbol, to: Move.self)
      let path = "/run/netns/\(name)"
      let done = DispatchSemaphore(value: 0)
      let hasMoved = Box(false)
      let thread = Thread {
        let descriptor = open(path, O_RDONLY)
        // 0x40000000 is CLONE_NEWNET.
        hasMoved.value = descriptor >= 0 && move(descriptor, 0x4000_0000) == 0
        close(descriptor)
        if hasMoved.value { body() }
        done.signal()
      }
      thread.start()
      if done.wait(timeout: .now() + 20) == .timedOut { Issue.record("the recording does not end") }
      return hasMoved.value
    }
  #endif
}

/// Something that one thread writes before another reads it.
final class Box<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

@Suite("Recording", .serialized) struct CaptureRecorderTests {
  @Test("an interface that does not exist is named, with libpcap's words")
  func noInterface() throws {
    do throws(CaptureRecorderError) {
      _ = try CaptureRecorder(interface: "rollcall-none")
      Issue.record("an interface that does not exist was opened")
    } catch {
      let text = "\(error)"
      #expect(text.contains("rollcall-none") && text.contains(": "))
      switch error {
      case .noSuchInterface, .notPermitted: break
      case .failed: Issue.record("\(error)")
      }
    }
  }

  @Test("each failure has words of its own")
  func words() {
    expectEqual(
      "\(CaptureRecorderError.notPermitted("eth0", why: "x"))",
      "capturing on eth0 needs root or the capability CAP_NET_RAW: x")
    expectEqual("\(CaptureRecorderError.noSuchInterface("eth0", why: "x"))", "there is no interface eth0: x")
    expectEqual("\(CaptureRecorderError.failed("eth0", why: "x"))", "cannot capture on eth0: x")
  }

  #if os(Linux)
    @Test("what is sent on an interface stands in the file: filtered, cut to the snap length, up to the count")
    func live() throws {
      guard let namespace = Namespace() else { return }
      let bytes = Box([UInt8]())
      let found = Box([String]())
      let pauses = Box(0)
      let hasMoved = namespace.inside {
        do {
          let filter = try CaptureFilter("udp dst port 1900")
          let recorder = try CaptureRecorder(interface: "lo", filter: filter, snapLength: 60)
          let sender = Sender()
          var section = CaptureSection()
          section.application = "a test"
          // Each time the end is asked for, one datagram that passes and one that does not are sent.
          let tally = try recorder.record(section: section, frameCountMaximum: 3) {
            bytes.value += $0
          } isOver: {
            sender.send("NOTIFY \(pauses.value) and so much more that it is cut", port: 1900)
            sender.send("another port", port: 1901)
            pauses.value += 1
            return pauses.value > 100
          }
          found.value.append("\(tally.frames) frames")
          // Nothing is sent: only the closure ends it.
          var questions = 0
          let idle = try CaptureRecorder(interface: "lo").record(section: section, sink: { _ in }) {
            questions += 1
            return questions > 2
          }
          found.value.append("\(idle.frames) frames")
          do throws(CaptureRecorderError) {
            _ = try CaptureRecorder(interface: "lo", filter: try! CaptureFilter("wlan type data"))
            found.value.append("a filter for 802.11 was taken")
          } catch { found.value.append("\(error)".contains("lo") ? "refused" : "\(error)") }
        } catch { found.value.append("\(error)") }
      }
      if !hasMoved { return print("skipped: recording from a live interface: a thread may not enter a namespace here") }
      expectEqual(found.value, ["3 frames", "0 frames", "refused"])
      var reader = try CaptureReader(pull: source(bytes.value))
      #expect(reader.interfaces.map(\.name) == ["lo"] && reader.interfaces.map(\.snapLength) == [60])
      expectEqual(reader.interfaces.map(\.comments), [["filter: udp dst port 1900"]])
      expectEqual(reader.sections.map(\.application), ["a test"])
      var extractor = DatagramExtractor()
      var (frame, datagram) = (CaptureFrame(), ExtractedDatagram())
      var numbers: [Int] = []
      while extractor.next(from: &reader, &frame, &datagram) {
        numbers.append(frame.number)
        #expect(frame.capturedCount == 60 && frame.originalCount > 60 && datagram.isCut)
        expectEqual("\(datagram.destination)", "127.0.0.1:1900")
        #expect(String(decoding: datagram.payload, as: UTF8.self).hasPrefix("NOTIFY "))
        #expect(frame.time.nanoseconds > 1_600_000_000_000_000_000)
      }
      #expect(numbers == [1, 2, 3] && reader.problem == nil)
    }
  #endif
}

#if os(Linux)
  /// A UDP socket on the loopback interface of the thread's namespace.
  private final class Sender {
    private let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
    deinit { close(descriptor) }

    func send(_ text: String, port: UInt16) {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let bytes = Array(text.utf8)
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
  }
#endif
