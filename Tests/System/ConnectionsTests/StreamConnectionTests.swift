import Connections
import EventLoop
import TestLoop
import Testing
import UnixSockets

@Suite("Connections", .timeLimit(.minutes(30)))
struct StreamConnectionTests {
  @Test("more bytes than the socket buffer holds arrive complete and in order")
  func largeTransfer() async throws {
    let received = try await TestLoop.run {
      let (one, other) = try UnixSocket.pair()
      let (sender, receiver) = (StreamConnection(one), StreamConnection(other))
      try sender.start()
      try receiver.start()
      let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      return await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        var received: [UInt8] = []
        receiver.onBytes = { received.append(contentsOf: $0) }
        receiver.onClose = { continuation.resume(returning: received == bytes) }
        sender.send(bytes)
        sender.closeWhenDrained()
        sender.onClose = { withExtendedLifetime(receiver) {} }
      }
    }
    #expect(received)
  }
}
