/** The messages and services of the protos, for those who call them by Connect itself. */

export * from "./gen/scheids/v1/common_pb.js";
export * from "./gen/scheids/v1/flip7_pb.js";
export * from "./gen/scheids/v1/games_pb.js";
export * from "./gen/scheids/v1/peewee7_pb.js";
export * from "./gen/scheids/v1/referee_pb.js";
export * from "./gen/scheids/v1/tables_pb.js";
export * from "./gen/scheids/v1/whist_pb.js";
export * from "./gen/scheids/v1/wipe_pb.js";
export * from "./gen/scheids/v1/wippen_pb.js";
