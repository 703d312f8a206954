import Foundation
import NIOCore
import NIOPosix
import RollcallExpectations
import RollcallLive
import Testing

@Suite("Words of the system") struct SystemWordsTests {
  private struct Own: Error, CustomStringConvertible { var description: String { "the interface is gone" } }

  @Test("an error is told in the system's words, and not in those of the library that met it")
  func words() {
    expectEqual(
      SystemWords.of(IOError(errnoCode: EADDRINUSE, reason: "bind(descriptor:ptr:bytes:)")), "Address already in use")
    expectEqual(SystemWords.of(IOError(errnoCode: ECONNREFUSED, reason: "connect")), "Connection refused")
    expectEqual(SystemWords.of(ChannelError.connectTimeout(.seconds(1))), "Connection timed out")
    expectEqual(SystemWords.of(ChannelError.writeMessageTooLarge), "Message too long")
    expectEqual(SystemWords.of(ChannelError.ioOnClosedChannel), "it is closed")
    expectEqual(SystemWords.of(ChannelError.operationUnsupported), "it cannot be used")
    expectEqual(SystemWords.of(Own()), "the interface is gone")
  }
}
