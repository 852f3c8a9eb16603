public import EventLoop
internal import Glibc
public import SystemCalls
public import UnixSockets

/// Accepts connections.
///
/// If no descriptor is left, the listener sends a refusal to new clients; existing connections continue.
@EventLoop
public final class Listener {
  private let descriptor: Descriptor
  private let refusal: [UInt8]
  private let onShortage: @EventLoop (SystemError) -> Void
  private let serve: @EventLoop (Descriptor) -> Void
  private var watch: Watch?
  /// Reserve descriptor; closed to accept and refuse a client when no other descriptor is left.
  private var spare: Descriptor?

  /// Maximum number of connections accepted per loop iteration; further ones wait for the next iteration.
  private static let acceptedPerTurn = 32
  private static let pause = Duration.milliseconds(100)

  /// Creates a listener that sends `refusal` to clients for which no descriptor is left, and closes the
  /// connection.
  public init(
    _ descriptor: Descriptor,
    refusal: [UInt8],
    onShortage: @escaping @EventLoop (SystemError) -> Void,
    serve: @escaping @EventLoop (Descriptor) -> Void
  ) {
    (self.descriptor, self.refusal, self.onShortage, self.serve) = (descriptor, refusal, onShortage, serve)
  }

  public func start() throws(SystemError) {
    spare = descriptor.duplicate()
    watch = try EventLoop.watch(descriptor.number, for: .readable) { [weak self] _ in self?.accept() }
  }

  /// Stops accepting connections.
  public func stop() {
    watch?.cancel()
    (watch, spare) = (nil, nil)
  }

  private func accept() {
    for _ in 0..<Self.acceptedPerTurn where watch != nil {
      do {
        guard let client = try UnixSocket.accept(from: descriptor) else { return }
        serve(client)
      } catch {
        onShortage(error)
        guard turnNextAway() else { return rest() }
      }
    }
  }

  /// Refuses the next client; returns true if the client after it can be refused too.
  private func turnNextAway() -> Bool {
    guard spare != nil else { return false }
    spare = nil
    refuseNext()
    spare = descriptor.duplicate()
    return spare != nil
  }

  private func refuseNext() {
    let client: Descriptor?? = try? UnixSocket.accept(from: descriptor)
    if case .some(.some(let client)) = client { client.close(saying: refusal) }
  }

  /// Stops watching the listener for `pause`; the loop would spin, because waiting clients keep it readable.
  private func rest() {
    watch?.interest = []
    EventLoop.after(Self.pause) { [weak self] in
      guard let self else { return }
      spare = spare ?? descriptor.duplicate()
      watch?.interest = .readable
    }
  }
}

extension Descriptor {
  /// Returns a duplicate of the descriptor; `nil` if no descriptor is left.
  fileprivate func duplicate() -> Descriptor? {
    let number = fcntl(number, F_DUPFD_CLOEXEC, 0)
    return number >= 0 ? Descriptor(owning: number) : nil
  }

  /// Closes a connection after sending a last message that the peer can still read.
  fileprivate func close(saying bytes: [UInt8]) {
    _ = try? bytes.withUnsafeBytes { bytes throws(SystemError) in try send(bytes) }
    shutdown(number, Int32(SHUT_RDWR))
    // If unread data remained, the kernel would reset the connection, and the peer could lose the message.
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      _ = try? read(into: buffer)
      if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
    }
  }
}
