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

/// The owners that use relays, their relay addresses, and the tokens that senders get.
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

  /// Returns the owners that have chosen a provider that relays can serve.
  func owners() throws -> [uid_t] { try Self.providers.flatMap { try channels.owners(by: $0) } }

  /// Returns the route of an owner that allows pushes and has an address at a configured relay.
  func route(of owner: uid_t) throws -> RelayRoute? {
    try channels.channel(of: owner).isAllowed ? chosenRoute(of: owner) : nil
  }

  /// Decrypts a push for an owner.
  func open(_ content: [UInt8], for owner: uid_t) throws -> [UInt8] {
    // Check the format first, so that an invalid message causes no disk access and no decryption.
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

  /// Returns the route that an owner has chosen, even if the owner does not allow pushes now.
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

  /// Returns the URL if it is at a configured relay.
  private func relayed(_ text: String) -> WebURL? {
    guard let url = WebURL(text), settings.current.pushRelays.contains(where: { $0.origin == url.origin })
    else { return nil }
    return url
  }
}

extension RelayRoute {
  /// The token for senders.
  fileprivate var token: String {
    subscription.map { String(decoding: $0.serialized, as: UTF8.self) } ?? address.text
  }
}

/// The address of an owner at a relay.
struct RelayRoute: Sendable, Equatable {
  let address: WebURL
  /// The Web Push subscription that senders get; if it is set, every push at the address is encrypted.
  let subscription: PushSubscription?

  var isEncrypted: Bool { subscription != nil }

  /// The place where senders publish pushes, as reported to the owner.
  var place: PushPlace { subscription.map { .subscription($0) } ?? .address(address.text) }
}

/// The URL of a topic at a relay; the random name of the topic cannot be guessed.
enum RelayAddress {
  /// Returns a new address at a relay: a topic with 128 random bits, in the form that UnifiedPush specifies
  /// for ntfy.
  static func make(at relay: WebURL) throws -> WebURL? {
    let topic = "up" + Base64URL.encode(try randomBytes(16))
    return relay.appending(path: topic)?.appending(query: [("up", "1")])
  }

  /// Returns the URL of a topic's messages since a message ID or Unix time; `nil` for an invalid topic.
  static func stream(of address: WebURL, since: String) -> WebURL? {
    let topic = address.path.dropFirst()
    guard (1...64).contains(topic.utf8.count), topic.utf8.allSatisfy(isTopicByte) else { return nil }
    return WebURL(address.origin.text + address.path + "/json?since=\(since)")
  }

  /// True if an ntfy server parses the text as a message ID and not as a time.
  static func isMessageID(_ text: String) -> Bool {
    text.utf8.count == 12 && text.utf8.allSatisfy(isTopicByte)
  }

  private static func isTopicByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
