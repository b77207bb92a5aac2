#if TLS
internal import CTLS

/// Translates OpenSSL's errors into a `TLSError` with cause and remedy.
extension TLSEngine {
    /// The error for the last call, from its SSL_get_error(3) result and the thread's error queue.
    func failure(_ cause: Int32) -> TLSError {
        let errors = OpenSSLErrors.take()
        let during = SSL_is_init_finished(ssl) == 1 ? "the TLS connection" : "the TLS handshake"
        if cause == SSL_ERROR_ZERO_RETURN {
            return TLSError(
                .protocolViolation, "the peer closed the connection during the handshake",
                detail: errors.text, remedy: "see the peer's log for its reason")
        }
        let known = errors.entries.first { $0.library == ERR_LIB_SSL }
        guard let reason = known?.reason else {
            return TLSError(
                .resources, "\(during) failed inside OpenSSL", detail: errors.text,
                remedy: "see whether memory is left")
        }
        // OpenSSL reports a received alert as the reason SSL_AD_REASON_OFFSET + alert.
        let alerts = SSL_AD_REASON_OFFSET
        if (alerts...alerts + 255).contains(reason) {
            let alert = TLSAlert(code: UInt8(reason - alerts))
            return TLSError(
                .peerAlert(alert), "the peer ended \(during) with the alert '\(alert)'",
                detail: errors.text, remedy: Self.remedy(for: alert))
        }
        switch reason {
        case SSL_R_CERTIFICATE_VERIFY_FAILED: return verificationFailure()
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
            return TLSError(
                .verification(.missing), "the peer showed no certificate", detail: errors.text,
                remedy: "give the peer an identity, or set verification to .optional")
        default:
            return TLSError(
                .protocolViolation, "\(during) failed", detail: errors.text,
                remedy: Self.remedy(forReason: reason))
        }
    }

    private func verificationFailure() -> TLSError {
        let code = Int32(truncatingIfNeeded: SSL_get_verify_result(ssl))
        let kind: TLSError.Verification
        let remedy: String
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            (kind, remedy) = (.expired, "renew the peer's certificate, or set the clock right")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            (kind, remedy) = (.notYetValid, "see whether the clock of this machine is right")
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            kind = .hostName
            remedy = "connect to a name the certificate is for, or have it issued for this one"
        case X509_V_ERR_APPLICATION_VERIFICATION:
            (kind, remedy) = (.refused, "see the closure in TLSTrustRoots.custom")
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            kind = .untrusted
            remedy =
                "add the peer's authority to trustRoots (for .system: install "
                + "ca-certificates), or let the peer send its intermediate certificates"
        default:
            (kind, remedy) = (.other(Int(code)), "see verify(1) for this reason")
        }
        let text = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) }
        let expected = kind == .hostName ? serverName.map { " for '\($0)'" } ?? "" : ""
        return TLSError(
            .verification(kind), "the peer's certificate was not accepted\(expected)",
            detail: text, remedy: remedy)
    }

    private static func remedy(for alert: TLSAlert) -> String {
        switch alert {
        case .unknownAuthority:
            "add this side's authority to the peer's trust, or send intermediate certificates"
        case .badCertificate, .certificateUnknown:
            "see the peer's log for what it found wrong with this side's certificate"
        case .certificateExpired: "renew this side's certificate"
        case .certificateRequired: "give this side an identity: the peer wants a certificate"
        case .protocolVersion: "allow a version that the peer knows"
        case .handshakeFailure:
            "see whether ciphers match, and whether the peer wants a certificate"
        case .unrecognizedName: "connect with a server name that the peer serves"
        case .noApplicationProtocol: "offer an application protocol that the peer knows"
        default: "see the peer's log for its reason"
        }
    }

    private static func remedy(forReason reason: Int32) -> String {
        switch reason {
        case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST:
            "the peer speaks plain HTTP: use an https URL, or a listener without TLS"
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_BAD_RECORD_TYPE, SSL_R_PACKET_LENGTH_TOO_LONG:
            "the peer does not seem to speak TLS: see whether the port is the right one"
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_NO_PROTOCOLS_AVAILABLE:
            "the peer's versions of TLS are too old: update it, or see minimumVersion"
        case SSL_R_NO_SHARED_CIPHER:
            "let cipherList and cipherSuites share one with the peer that fits the certificate"
        case SSL_R_NO_APPLICATION_PROTOCOL:
            "let applicationProtocols share one with the peer"
        case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC:
            "bytes were changed on their way: see what is between the two sides"
        default: "see whether the peer speaks TLS 1.2 or later, and its log"
        }
    }
}
#endif
