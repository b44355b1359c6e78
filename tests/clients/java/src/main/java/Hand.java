import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import scheids.v1.DealRequest;
import scheids.v1.ListLegalMovesRequest;
import scheids.v1.RefereeGrpc;
import scheids.v1.WhistDealRequest;

/** Deals a hand of whist, and tells how many moves are legal: what scripts/stubs_others.py --check runs against a service. */
public final class Hand {
    private Hand() {}

    public static void main(String[] arguments) {
        ManagedChannel channel = Grpc.newChannelBuilder(arguments[0], InsecureChannelCredentials.create()).build();
        RefereeGrpc.RefereeBlockingStub referee = RefereeGrpc.newBlockingStub(channel);
        DealRequest request = DealRequest.newBuilder().setWhist(WhistDealRequest.newBuilder().setSeed("x")).build();
        ListLegalMovesRequest asked =
                ListLegalMovesRequest.newBuilder().setState(referee.deal(request).getState()).build();
        System.out.println(referee.listLegalMoves(asked).getTotal() + " legal moves");
        channel.shutdownNow();
    }
}
