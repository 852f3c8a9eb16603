/// By which transport the platform hands pushes to this machine.
package enum PushProvider: String, ControlChoice {
  /// The daemon fetches them itself.
  case poll = "POLL"
  case fcm = "FCM"
  case apns = "APNS"
  case hms = "HMS"
  case webPush = "WEBPUSH"
  case unifiedPush = "UNIFIEDPUSH"
}

/// Which of Apple's push services a token is for.
package enum PushEnvironment: String, ControlChoice {
  case production, sandbox
}
