public import EventLoop
internal import Glibc
public import SystemCalls
public import UnixSockets

/// Accepts whoever connects, also where the process may open nothing more: newcomers are told so, and who is served
/// already is served on.
@EventLoop
public final class Listener {
  private let descriptor: Descriptor
  private let refusal: [UInt8]
  private let onShortage: @EventLoop (SystemError) -> Void
  private let serve: @EventLoop (Descriptor) -> Void
  private var watch: Watch?
  /// Is given up for a newcomer who cannot be served, to tell them.
  private var spare: Descriptor?

  /// Those who come in faster than they can be accepted wait for the next turn of the loop.
  private static let acceptedPerTurn = 32
  private static let pause = Duration.milliseconds(100)

  /// A listener that tells those for whom there is no descriptor these bytes, and hangs up.
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

  /// Accepts nobody any more.
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

  /// Whether the next one could be told, and the one after can be.
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

  /// The kernel tells of those who wait again and again; nothing can be done for them before something was closed.
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
  /// Another descriptor of the same; `nil` where there is none left.
  fileprivate func duplicate() -> Descriptor? {
    let number = fcntl(number, F_DUPFD_CLOEXEC, 0)
    return number >= 0 ? Descriptor(owning: number) : nil
  }

  /// Ends a connection at once, with a few last bytes that the other side can read.
  fileprivate func close(saying bytes: [UInt8]) {
    _ = try? bytes.withUnsafeBytes { bytes throws(SystemError) in try send(bytes) }
    shutdown(number, Int32(SHUT_RDWR))
    // With something unread the kernel would make its end an error.
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      _ = try? read(into: buffer)
      if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
    }
  }
}
