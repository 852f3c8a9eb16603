/// What an event is about.
package enum EventTopic: String, ControlChoice {
  case notification, pairing, authentication, account, service
}
