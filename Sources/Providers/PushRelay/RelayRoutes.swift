internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JOSE
internal import JSON
internal import OpenSSL
internal import PingOne
internal import Settings
internal import Text
internal import Vault
internal import WebAddress

/// Which owners' pushes are left at relays and where, and the tokens by which senders hear of it.
@EventLoop
final class RelayRoutes {
  private let channels: PushChannels
  private let keys: WebPushKeyTable
  private let settings: Settings

  private static let providers: [PushProvider] = [.unifiedPush, .webPush]

  init(_ core: Core, channels: PushChannels) {
    (self.channels, keys, settings) = (channels, WebPushKeyTable(vault: core.vault), core.settings)
    channels.receiver = PushReceiver(
      offers: { [weak self] in self?.offers($0) ?? false },
      choose: { [weak self] in try self?.choose($0, $1, of: $2) },
      place: { [weak self] in try self?.route(of: $0)?.place }
    )
  }

  private func offers(_ provider: PushProvider) -> Bool {
    Self.providers.contains(provider) && !settings.current.pushRelays.isEmpty
  }

  /// Owners who have chosen a provider by which relays can bring pushes.
  func owners() throws -> [uid_t] { try Self.providers.flatMap { try channels.owners(by: $0) } }

  /// The route of an owner who wants pushes and takes them at a configured relay.
  func route(of owner: uid_t) throws -> RelayRoute? {
    try channels.channel(of: owner).isAllowed ? chosenRoute(of: owner) : nil
  }

  /// What an encrypted push for an owner says.
  func open(_ content: [UInt8], for owner: uid_t) throws -> [UInt8] {
    // What is none costs neither the disk nor a cipher.
    let message = try EncryptedMessage(content)
    guard let keys = try keys.keys(of: owner) else { throw WebPushFault.notOurs }
    return try keys.open(message)
  }

  private func choose(_ provider: PushProvider, _ given: String?, of owner: uid_t) throws -> String? {
    let isChosen = try given == nil && provider == channels.channel(of: owner).provider
    if isChosen, let route = try chosenRoute(of: owner) { return route.token }
    try keys.remove(of: owner)
    guard given == nil, Self.providers.contains(provider), let address = try newAddress() else {
      return given
    }
    guard provider == .webPush else { return address.text }
    let made = try WebPushKeys.generate()
    try keys.insert(made, of: owner)
    return RelayRoute(address: address, subscription: made.subscription(at: address)).token
  }

  /// The route that an owner has chosen, whether pushes are wanted now or not.
  private func chosenRoute(of owner: uid_t) throws -> RelayRoute? {
    let provider = try channels.channel(of: owner).provider
    guard Self.providers.contains(provider), let token = try channels.storedToken(of: owner) else {
      return nil
    }
    guard provider == .webPush else {
      return relayed(token).map { RelayRoute(address: $0, subscription: nil) }
    }
    guard let keys = try keys.keys(of: owner), let address = endpoint(of: token).flatMap(relayed) else {
      return nil
    }
    return RelayRoute(address: address, subscription: keys.subscription(at: address))
  }

  private func endpoint(of token: String) -> String? {
    (try? PushSubscription(reading: JSON(parsing: Array(token.utf8))))?.endpoint
  }

  private func newAddress() throws -> WebURL? {
    try settings.current.pushRelays.first.flatMap { try RelayAddress.make(at: $0) }
  }

  /// The address if it is at a configured relay.
  private func relayed(_ text: String) -> WebURL? {
    guard let url = WebURL(text), settings.current.pushRelays.contains(where: { $0.origin == url.origin })
    else { return nil }
    return url
  }
}

extension RelayRoute {
  /// The text that senders are told.
  fileprivate var token: String {
    subscription.map { String(decoding: $0.serialized, as: UTF8.self) } ?? address.text
  }
}

/// Where pushes for an owner are left at a relay.
struct RelayRoute: Sendable, Equatable {
  let address: WebURL
  /// What senders were told besides; with it everything that is left there is encrypted.
  let subscription: PushSubscription?

  var isEncrypted: Bool { subscription != nil }

  /// What its owner is told.
  var place: PushPlace { subscription.map { .subscription($0) } ?? .address(address.text) }
}

/// Where others leave messages for an owner at a relay: a topic that nobody can guess.
enum RelayAddress {
  /// A new address at a relay: 128 random bits, named and marked as UnifiedPush wants it of an ntfy server.
  static func make(at relay: WebURL) throws -> WebURL? {
    let topic = "up" + Base64URL.encode(try randomBytes(16))
    return relay.appending(path: topic)?.appending(query: [("up", "1")])
  }

  /// The stream of an address from an instant in Unix seconds or a message on; `nil` for what is no topic's address.
  static func stream(of address: WebURL, since: String) -> WebURL? {
    let topic = address.path.dropFirst()
    guard (1...64).contains(topic.utf8.count), topic.utf8.allSatisfy(isTopicByte) else { return nil }
    return WebURL(address.origin.text + address.path + "/json?since=\(since)")
  }

  /// Whether an ntfy server takes a text as a message's id, and not as an instant.
  static func isMessageID(_ text: String) -> Bool {
    text.utf8.count == 12 && text.utf8.allSatisfy(isTopicByte)
  }

  private static func isTopicByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
