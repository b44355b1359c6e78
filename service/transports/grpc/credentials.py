"""TLS of gRPC, with certificates that may be renewed while it serves."""

from typing import Any

import grpc

from service.access.tls import Certificates, Pems


def credentials_of(certificates: Certificates) -> grpc.ServerCredentials:
    """Credentials that each handshake asks for what has changed since the last."""
    told = certificates.pems

    def renewed() -> grpc.ServerCertificateConfiguration | None:
        nonlocal told
        now = certificates.pems
        if now is told:
            return None
        told = now
        return _configuration(now)

    required = told.client_ca is not None
    fetch: Any = renewed  # which may say None, whatever the types of gRPC say
    made: grpc.ServerCredentials = grpc.dynamic_ssl_server_credentials(_configuration(told), fetch, required)
    return made


def _configuration(pems: Pems) -> grpc.ServerCertificateConfiguration:
    made: grpc.ServerCertificateConfiguration = grpc.ssl_server_certificate_configuration(
        [(pems.key, pems.chain)], pems.client_ca
    )
    return made
