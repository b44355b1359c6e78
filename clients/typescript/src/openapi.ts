/** The types of the service's OpenAPI document, for those who speak REST alone. */

export type { components, operations, paths } from "./gen/openapi.js";
