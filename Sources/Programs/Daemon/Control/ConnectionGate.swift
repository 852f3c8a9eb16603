internal import Connections
internal import ControlAPI
internal import EventLoop
public import Glibc
internal import JSONRPC
internal import Journal
internal import Machine
internal import UnixSockets

/// Admits connections of users that this machine knows; the kernel reports the user of a connection.
///
/// During the user lookup, the client's data stays in its socket. Other connections are not delayed.
@EventLoop
final class ConnectionGate {
  /// Number of connections that wait for the user lookup, per user and in total.
  private(set) var waiting: [uid_t: Int] = [:]
  private var waitingInAll = 0
  private var isClosed = false

  private let users: UserLookup
  private let serviceUser = geteuid()
  private static let mostWaiting = 256

  init(_ users: UserLookup) { self.users = users }

  /// Admits no more connections, including those that wait for the lookup.
  func close() { isClosed = true }

  /// Passes an admitted connection to `serve`, immediately or after the user lookup.
  ///
  /// Rejected connections get an error, if the kernel reports their user.
  ///
  /// A connection is also rejected if it needs a lookup, but `hasRoom` is false for its user or too many
  /// connections wait already.
  func meet(
    _ client: Descriptor,
    hasRoom: (uid_t) -> Bool,
    _ serve: @escaping @EventLoop (Descriptor, Caller) -> Void
  ) {
    guard let peer = try? UnixSocket.peer(of: client) else {
      return Journal.warning("closed a connection because the kernel does not report its user")
    }
    guard let caller = Caller(uid: peer.user, serviceUser: serviceUser) else {
      return turnAway(client, peer.user, .unknown)
    }
    // Root and the service user are admitted without a lookup, since name services must not lock them out.
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
    _ standing: UserLookupResult,
    _ serve: (Descriptor, Caller) -> Void
  ) {
    standing == .known ? serve(client, caller) : turnAway(client, caller.uid, standing)
  }

  private func turnAway(_ client: Descriptor, _ user: uid_t, _ standing: UserLookupResult) {
    Journal.warning("rejected a user that is not admitted", ["user": user, "standing": "\(standing)"])
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
  /// Sends the error as one line to a client that is not served, and closes.
  static func refuse(_ client: Descriptor, with error: RPCError) {
    let stream = StreamConnection(client)
    guard (try? stream.start()) != nil else { return }
    stream.isReading = false
    // Keeps the stream alive until its line is sent.
    stream.onClose = { withExtendedLifetime(stream) {} }
    stream.send(RPCReply(id: .null, error: error).line)
    stream.closeWhenDrained()
  }
}

/// The user of a connection, as reported by the kernel.
///
/// All requests of the connection run for this owner.
public struct Caller: Sendable {
  /// The user ID, which owns everything that the requests create.
  public let uid: uid_t
  /// True if methods of the access class `service` are allowed.
  public let mayServe: Bool

  /// User IDs that cannot own state: `nobody`, the overflow user, dynamic users of systemd, invalid IDs.
  private static let refused: [ClosedRange<uid_t>] = [65534...65535, 61184...65519, uid_t.max...uid_t.max]

  /// The caller with this user ID; `nil` if that user cannot own anything.
  public init?(uid: uid_t, serviceUser: uid_t) {
    guard !Self.refused.contains(where: { $0.contains(uid) }) else { return nil }
    self.uid = uid
    mayServe = uid == 0 || uid == serviceUser
  }
}
