internal import Connections
internal import ControlAPI
internal import EventLoop
public import Glibc
internal import JSONRPC
internal import Journal
internal import Machine
internal import UnixSockets

/// Lets in whom the service serves: users whom the machine knows, each as the ``Caller`` that the kernel names.
///
/// While the machine is asked who somebody is, what they sent waits in their socket; nobody else waits.
@EventLoop
final class Entrance {
  /// Connections whose users are being looked up, of each user and in all.
  private(set) var waiting: [uid_t: Int] = [:]
  private var waitingInAll = 0
  private var isClosed = false

  private let users: UserRegister
  private let serviceUser = geteuid()
  private static let mostWaiting = 256

  init(_ users: UserRegister) { self.users = users }

  /// Lets nobody in any more, also of those who wait.
  func close() { isClosed = true }

  /// Hands over whoever is let in, at once or when the machine has said who they are; others hear why not.
  ///
  /// Whoever has no room for one more connection, those counted that wait, does not wait.
  func meet(
    _ client: Descriptor,
    hasRoom: (uid_t) -> Bool,
    _ serve: @escaping @EventLoop (Descriptor, Caller) -> Void
  ) {
    guard let peer = try? UnixSocket.peer(of: client) else {
      return Journal.warning("a connection whose user the kernel does not tell was closed")
    }
    guard let caller = Caller(uid: peer.user, serviceUser: serviceUser) else {
      return turnAway(client, peer.user, .unknown)
    }
    // Whoever runs the machine or the service is let in, whatever a name service says.
    if caller.mayServe { return serve(client, caller) }
    if let standing = users.remembered(caller.uid) { return judge(client, caller, standing, serve) }
    guard waitingInAll < Self.mostWaiting, hasRoom(caller.uid) else {
      return StreamConnection.refuse(client, with: .rateLimited)
    }
    wait(caller.uid, 1)
    EventLoop.task { [self] in
      let standing = await users.standing(of: caller.uid)
      wait(caller.uid, -1)
      if !isClosed { judge(client, caller, standing, serve) }
    }
  }

  private func judge(
    _ client: Descriptor,
    _ caller: Caller,
    _ standing: UserStanding,
    _ serve: (Descriptor, Caller) -> Void
  ) {
    standing == .known ? serve(client, caller) : turnAway(client, caller.uid, standing)
  }

  private func turnAway(_ client: Descriptor, _ user: uid_t, _ standing: UserStanding) {
    Journal.warning("a user who may not call was turned away", ["user": user, "standing": "\(standing)"])
    var error = RPCError.strangeUser
    if case .undecided = standing { error = .undecidedUser }
    StreamConnection.refuse(client, with: error)
  }

  private func wait(_ user: uid_t, _ difference: Int) {
    waitingInAll += difference
    let count = (waiting[user] ?? 0) + difference
    waiting[user] = count > 0 ? count : nil
  }
}

extension StreamConnection {
  /// Tells a client that is not served why not, in one line, and hangs up.
  static func refuse(_ client: Descriptor, with error: RPCError) {
    let stream = StreamConnection(client)
    guard (try? stream.start()) != nil else { return }
    stream.isReading = false
    // The stream lives until its line is sent.
    stream.onClose = { withExtendedLifetime(stream) {} }
    stream.send(RPCReply(id: .null, error: error).line)
    stream.closeWhenDrained()
  }
}

/// Who is at the other end of a connection, by the kernel's word; everything is done for this owner.
public struct Caller: Sendable {
  /// The user, to whom everything belongs that is made here.
  public let uid: uid_t
  /// Whether the methods of the class `service` are allowed.
  public let mayServe: Bool

  /// Users that no person and no service has: `nobody`, the overflow user, and those that systemd makes up.
  private static let refused: [ClosedRange<uid_t>] = [65534...65535, 61184...65519, uid_t.max...uid_t.max]

  /// The caller of that user; `nil` if it is one that cannot own anything.
  public init?(uid: uid_t, serviceUser: uid_t) {
    guard !Self.refused.contains(where: { $0.contains(uid) }) else { return nil }
    self.uid = uid
    mayServe = uid == 0 || uid == serviceUser
  }
}
