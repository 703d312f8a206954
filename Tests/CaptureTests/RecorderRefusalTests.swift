import RollcallCapture
import RollcallExpectations
import Testing

@Suite("Interfaces that cannot be recorded") struct RecorderRefusalTests {
  @Test("a recording that is ended waits a tenth of a second at most")
  func pause() {
    expectEqual(CaptureRecorder.readTimeoutMilliseconds, 100)
  }

  #if os(Linux)
    @Test("a name longer than the system's names is no interface, for root and for others")
    func longName() {
      let name = "rollcall-interface-none"
      do throws(CaptureRecorderError) {
        _ = try CaptureRecorder(interface: name)
        Issue.record("an interface that does not exist was opened")
      } catch {
        guard case .noSuchInterface(let named, let why) = error else {
          Issue.record("\(error)")
          return
        }
        #expect(named == name && why.contains("No such device"))
      }
    }

    @Test("what libpcap says of a name is handed on, not only that something went wrong")
    func groupOutOfRange() {
      // A group of the kernel's packet log; a libpcap without that takes it for the name of an interface.
      let name = "nflog:70000"
      do throws(CaptureRecorderError) {
        _ = try CaptureRecorder(interface: name)
        Issue.record("a group that does not exist was opened")
      } catch {
        switch error {
        case .failed(let named, let why): #expect(named == name && why.contains("70000"))
        case .noSuchInterface(let named, _), .notPermitted(let named, _): expectEqual(named, name)
        }
      }
    }
  #endif
}
