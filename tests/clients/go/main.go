// Deals a hand of whist, and tells how many moves are legal: what scripts/stubs_others.py --check runs against a service.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "scheids/v1"
)

func main() {
	connection, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	referee := pb.NewRefereeClient(connection)
	seed := "x"
	whist := &pb.DealRequest_Whist{Whist: &pb.WhistDealRequest{Seed: &seed}}
	dealt, err := referee.Deal(ctx, &pb.DealRequest{Game: whist})
	if err != nil {
		log.Fatal(err)
	}
	legal, err := referee.ListLegalMoves(ctx, &pb.ListLegalMovesRequest{State: dealt.State})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(legal.Total, "legal moves")
}
