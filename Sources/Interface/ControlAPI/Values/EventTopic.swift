/// What an event is about.
package enum EventTopic: String, CaseIterable, Sendable {
  case notification, pairing, authentication, account, service
}
